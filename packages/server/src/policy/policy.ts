import { realPaths } from '@holdpoint/agents/claude/asks/real-paths'
import { diskLook } from '@holdpoint/agents/files/disk-look'
import { fileHash } from '@holdpoint/agents/files/file-hash'
import type { DiskLook } from '@holdpoint/core/disk-look'
import type { JudgedCall, JudgedIn, Policy } from '@holdpoint/core/policy'
import { type CallParts, callParts } from '@holdpoint/core/policy/call-parts'
import { inCode } from '@holdpoint/core/policy/in-code'
import { judge, pathsOfParts } from '@holdpoint/core/policy/judge'
import type { PolicyCall, PolicyFacts } from '@holdpoint/core/policy/policy-call'
import { proposedRules, type RunFile, whyNoneProposed } from '@holdpoint/core/policy/proposed-rules'
import type { PolicyRule, ProposedRule, Verdict } from '@holdpoint/schema/policy'
import type { OtherPolicyFiles } from './other-policy-files.ts'
import { isOwnRepository } from './own-repository.ts'
import type { PolicyFile } from './policy-file.ts'
import type { PolicyRules } from './policy-rules.ts'
import type { ReadRepositoryPolicy, RepositoryPolicy } from './repository-policy.ts'

export interface PolicyDeps {
  readonly rules: Pick<PolicyRules, 'list' | 'unreadable'>
  readonly file: Pick<PolicyFile, 'refresh' | 'list' | 'isLost' | 'places'>
  readonly otherFiles: Pick<OtherPolicyFiles, 'list' | 'isUnreadable'>
  readonly repositoryPolicy: ReadRepositoryPolicy
  /** Files and folders that no rule allows to write, absolute (T71). */
  readonly guarded: readonly string[]
  /** Folders inside of those that are not guarded, absolute. */
  readonly unguarded: readonly string[]
  readonly home: string
  readonly now: () => number
}

export interface GatewayPolicy extends Policy {
  /** The verdict if this rule were among the others, in place of the one that has its id. Nothing is saved. */
  tryRule(rule: PolicyRule, session: JudgedIn, call: JudgedCall): Promise<Verdict>
  /** Rules that would allow this call, which runs these files; `filesUnknown` says why it may run others. */
  propose(
    session: JudgedIn,
    call: JudgedCall,
    files: { readonly run: readonly RunFile[]; readonly filesUnknown: string | undefined },
  ): Promise<Proposed>
}

interface Proposed {
  readonly rules: readonly ProposedRule[]
  /** Why there are none, where there are none and rules leave the call to the session: a plain sentence. */
  whyNone(): string
}

/** A call as rules see it, and what its verdict depends on besides the rules. */
interface Seen {
  readonly asked: PolicyCall
  readonly parts: CallParts
  readonly known: Omit<PolicyFacts, 'now' | 'hashes'>
  inForce(): readonly PolicyRule[]
  whole(verdict: Verdict): Verdict
}

/** Judges calls on this machine: the rules in force, and what its files say. */
export function createPolicy(deps: PolicyDeps): GatewayPolicy {
  const { rules, file, otherFiles, repositoryPolicy, guarded, home, now } = deps
  // By both names: a path is compared by its own words, and by where it leads.
  const places = Promise.all([guarded, deps.unguarded].map(byBothNames)).then(([closed = [], open = []]) => ({
    guarded: closed,
    unguarded: open,
  }))

  async function seen(session: JudgedIn, call: JudgedCall): Promise<Seen> {
    // An agent waits for each call: what does not depend on something else is looked up at the same time.
    const refreshed = file.refresh()
    // It is awaited below; until then it must not count as unhandled.
    refreshed.catch(() => {})
    const { disk = diskLook() } = call
    // A folder nearly always is where its name says: what is looked up by the name need not be looked up again.
    const named = { ...lookIn(call.cwd, call, disk), repository: repositoryPolicy(session.cwd, disk) }
    const [project, cwd] = await Promise.all([canonical(session.cwd, disk), canonical(call.cwd, disk)])
    const folder = project ?? session.cwd
    const { parts, realPathsOf } = cwd === call.cwd ? named : lookIn(cwd, call, disk)
    const untrusted: PolicyCall = {
      agent: call.agent ?? session.agent,
      sessionAgent: session.agent,
      tool: call.tool.name,
      action: call.action,
      besides: call.besides,
      cwd,
      project: folder,
      home,
      sessionId: session.id,
      lifeEpoch: session.lifeEpoch ?? session.epoch,
      trusted: false,
    }
    const [isOwn, repository, real, { guarded: closed, unguarded }] = await Promise.all([
      session.trusted && isOwnRepository(project, cwd),
      folder === session.cwd ? named.repository : repositoryPolicy(folder, disk),
      realPathsOf,
      places,
      refreshed,
    ])
    const asked: PolicyCall = { ...untrusted, trusted: isOwn }
    const known = {
      realPaths: real,
      guarded: [...closed, ...file.places(), ...(repository?.places ?? [])],
      unguarded,
    }
    return {
      asked,
      parts,
      known,
      inForce: () => [...rules.list(), ...file.list(), ...otherFiles.list(), ...(repository?.rules ?? [])],
      whole: (verdict: Verdict) => whole(verdict, repository),
    }
  }

  function lookIn(cwd: string | undefined, { action, tool }: JudgedCall, disk: DiskLook) {
    const parts = callParts({ action, tool: tool.name, cwd, home })
    return { parts, realPathsOf: realPaths(pathsOfParts(parts), disk) }
  }

  async function look(session: JudgedIn, call: JudgedCall): Promise<() => Verdict> {
    const looked = await seen(session, call)
    const hashes = await pinned(looked.inForce(), looked)
    return () => looked.whole(verdictOf(looked.inForce(), looked, hashes))
  }

  function verdictOf(
    all: readonly PolicyRule[],
    { asked, parts, known }: Seen,
    hashes: PolicyFacts['hashes'],
  ): Verdict {
    return judge(all, asked, { ...known, now: now(), hashes }, parts)
  }

  async function tryRule(rule: PolicyRule, session: JudgedIn, call: JudgedCall): Promise<Verdict> {
    const looked = await seen(session, call)
    const all = [...looked.inForce().filter(({ id }) => id !== rule.id), rule]
    return looked.whole(verdictOf(all, looked, await pinned(all, looked)))
  }

  /** What cannot be read may ask or deny. */
  function whole(verdict: Verdict, repository: RepositoryPolicy | undefined): Verdict {
    if (verdict.effect === 'deny' || verdict.effect === 'ask') return withoutWordsOf(repository, verdict)
    const reason = whyUnread(repository)
    return reason === undefined ? verdict : { ...verdict, effect: 'ask', reason }
  }

  function whyUnread(repository: RepositoryPolicy | undefined): string | undefined {
    if (rules.unreadable().length > 0) return 'A saved rule cannot be read. Remove it on the page Rules.'
    if (file.isLost())
      return 'Holdpoint does not know which rules of the policy file were confirmed. Confirm the file again.'
    if (otherFiles.isUnreadable())
      return "The recorded rules of another machine's policy file cannot be read. Confirm that file on its machine."
    if (repository?.error === undefined) return undefined
    return `The repository's policy file cannot be read: ${inCode(repository.error)}`
  }

  /** What is in the files that decide whether a rule allows this call: those of the rules that would, if they were unchanged. */
  async function pinned(all: readonly PolicyRule[], looked: Seen): Promise<PolicyFacts['hashes']> {
    const pins = all.flatMap((rule) => rule.pins ?? [])
    if (pins.length === 0) return new Map()
    const unchanged = new Map(pins.map(({ path, sha256 }) => [path, sha256]))
    const { effect, parts } = verdictOf(all, looked, unchanged)
    if (effect !== 'allow') return new Map()
    const allowing = new Set(parts.map(({ rule }) => rule))
    const paths = all.filter(({ id }) => allowing.has(id)).flatMap((rule) => (rule.pins ?? []).map(({ path }) => path))
    const read = await Promise.all([...new Set(paths)].map(async (path) => [path, await fileHash(path)] as const))
    // One that cannot be read is not known to be missing.
    return new Map(read.flatMap(([path, now]) => ('why' in now ? [] : [[path, now.sha256] as const])))
  }

  async function propose(
    ...[session, call, { run, filesUnknown }]: Parameters<GatewayPolicy['propose']>
  ): Promise<Proposed> {
    const looked = await seen(session, call)
    const { asked, known, inForce } = looked
    const all = inForce()
    const facts = { ...known, now: now(), hashes: await pinned(all, looked) }
    const proposed = proposedRules(all, asked, facts, run, filesUnknown)
    return { rules: proposed, whyNone: () => whyNoneProposed(all, asked, facts, run) }
  }

  return { look, tryRule, propose }
}

/** Whoever can write to a repository could say anything of its rules: cards tell such words as facts (T27). */
function withoutWordsOf(repository: RepositoryPolicy | undefined, verdict: Verdict): Verdict {
  const { why, ...said } = verdict
  const isOurs = why === undefined || repository?.rules.every(({ id }) => id !== verdict.rule) !== false
  return isOurs ? verdict : said
}

async function byBothNames(paths: readonly string[]): Promise<string[]> {
  const disk = diskLook()
  const real = await Promise.all(paths.map((path) => canonical(path, disk)))
  return [...new Set([...paths, ...real.flatMap((path) => path ?? [])])]
}

async function canonical(path: string | undefined, disk: DiskLook): Promise<string | undefined> {
  const real = path === undefined ? undefined : await disk.realPath(path)
  return typeof real === 'string' ? real : undefined
}
