import type { PolicyRule, ProposedRule, Verdict } from '@holdpoint/schema/policy'
import { type CallParts, callParts } from './call-parts.ts'
import { checkRule } from './check-rule.ts'
import { isKnownToRead } from './guarded.ts'
import { inCode } from './in-code.ts'
import { judge } from './judge.ts'
import { escapedPath } from './path-pattern.ts'
import { isInside } from './places.ts'
import type { PolicyCall, PolicyFacts } from './policy-call.ts'
import { parseRulePattern } from './rule-pattern.ts'
import { commandRule } from './rule-text.ts'
import { whatItRuns } from './running-programs.ts'
import type { CommandPart } from './shell-parts.ts'
import { UNSAVED, unsavedRule } from './unsaved-rule.ts'

/** More to choose from would not be read. */
const MAX_PROPOSED = 4

/** A file that a call runs, with what is in it now. */
export interface RunFile {
  /** Canonical. */
  readonly path: string
  /** Null when there is no such file. */
  readonly sha256: string | null
}

/**
 * Rules that would let this very call run beside the rules in force, narrowest first. With a wildcard only for commands
 * that are known to read. What runs other programs is offered by its exact words, and it is said what that means.
 */
export function proposedRules(
  rules: readonly PolicyRule[],
  call: PolicyCall,
  facts: PolicyFacts,
  run: readonly RunFile[],
  /** Why it may run other files than these, if so. */
  filesUnknown?: string,
): ProposedRule[] {
  return tried(rules, call, facts, { run, filesUnknown })
    .filter(({ verdict: { effect, parts } }) => effect === 'allow' && parts.some((part) => part.rule === UNSAVED))
    .map(({ candidate }) => candidate)
    .slice(0, MAX_PROPOSED)
}

/** Why none is proposed, where rules leave the call to the session: what the narrowest rule would still not allow. */
export function whyNoneProposed(
  rules: readonly PolicyRule[],
  call: PolicyCall,
  facts: PolicyFacts,
  run: readonly RunFile[],
): string {
  const [narrowest] = tried(rules, call, facts, { run, filesUnknown: undefined })
  if (narrowest) {
    const { reason, parts } = narrowest.verdict
    const isPart = parts.length > 1 && parts.some((part) => part.rule === UNSAVED)
    return isPart ? `One rule cannot allow all of it. ${reason}` : reason
  }
  if (call.action.type === 'command') return judge(rules, call, facts).reason
  return 'Holdpoint proposes none for such a call. You can write one on the page Rules.'
}

/** What the rules in force would say, together with each rule that may be proposed. */
function tried(
  rules: readonly PolicyRule[],
  call: PolicyCall,
  facts: PolicyFacts,
  files: Runs,
): { readonly candidate: ProposedRule; readonly verdict: Verdict }[] {
  const hashes = new Map([...facts.hashes, ...files.run.map(({ path, sha256 }) => [path, sha256] as const)])
  const ofCall = callParts(call)
  return candidates(call, ofCall, facts, files).flatMap((candidate) => {
    const { pattern, pins } = candidate
    const scope = { kind: 'everywhere' } as const
    const rule = unsavedRule({ effect: 'allow', agent: call.agent, pattern, scope, ...(pins && { pins }) })
    if (checkRule(rule) !== undefined) return []
    return [{ candidate, verdict: judge([...rules, rule], call, { ...facts, hashes }, ofCall) }]
  })
}

/** Whether a rule allows one command by all of its words: then it holds only while the files that it runs are as they were. */
export function isExactCommand(text: string): boolean {
  const parsed = parseRulePattern(text, 'allow')
  if ('error' in parsed || parsed.pattern.about !== 'command') return false
  return parsed.pattern.words?.every((word) => 'text' in word) === true
}

interface Runs {
  readonly run: readonly RunFile[]
  readonly filesUnknown: string | undefined
}

function candidates(call: PolicyCall, { subjects }: CallParts, facts: PolicyFacts, runs: Runs): ProposedRule[] {
  const { action } = call
  switch (action.type) {
    case 'command':
      return subjects.flatMap((part) => (part.type === 'command' && !part.isInner ? forCommand(part, runs) : []))
    case 'file':
      return forFile(action.use, facts.realPaths.get(action.path) ?? action.path, call)
    case 'fetch':
      return forAddress(action.url)
    case 'mcp':
      return [{ pattern: `mcp__${action.server}__${action.tool}`, says: 'Every call of this tool, with any input.' }]
    case 'tool':
      return []
    default:
      return action satisfies never
  }
}

function forCommand(part: CommandPart, files: Runs): ProposedRule[] {
  const { run } = files
  const texts = part.words.flatMap((word) => ('text' in word ? [word.text] : []))
  const [name = '', second] = texts
  const isPlain = texts.length === part.words.length
  const runs = whatItRuns(part.words)
  const exact: ProposedRule = {
    pattern: commandRule(texts),
    says: exactWords(name, runs, files),
    ...(run.length > 0 && { pins: run.map(({ path, sha256 }) => ({ path, sha256 })) }),
  }
  // Git's subcommands are programs of their own.
  const head = /(^|\/)git$/.test(name) && second !== undefined ? [name, second] : [name]
  const wide: ProposedRule = {
    pattern: commandRule(head, true),
    says: `${inCode(head.join(' '))} with any other arguments, as long as it only reads inside the project.`,
  }
  return [...(isPlain ? [exact] : []), ...(isKnownToRead(part) && part.words.length > head.length ? [wide] : [])]
}

function exactWords(name: string, runs: string | undefined, { run, filesUnknown }: Runs): string {
  const means = runs === undefined ? '' : ` ${inCode(name)} ${runs}.`
  const named = (files: readonly RunFile[]) => files.map(({ path }) => inCode(path)).join(', ')
  const there = run.filter(({ sha256 }) => sha256 !== null)
  const missing = run.filter(({ sha256 }) => sha256 === null)
  const conditions = [
    ...(there.length > 0 ? [`${named(there)} stays unchanged`] : []),
    ...(missing.length > 0 ? [`${named(missing)} does not exist`] : []),
  ]
  const pinned = conditions.length === 0 ? '' : ` Only while ${conditions.join(', and ')}.`
  const isUnsure = runs !== undefined && filesUnknown !== undefined
  const unpinned = isUnsure ? ` ${filesUnknown} The rule still allows it when such files have changed.` : ''
  return `Exactly this command.${means}${pinned}${unpinned}`
}

function forFile(use: 'read' | 'write', path: string, { project }: PolicyCall): ProposedRule[] {
  // What lies in `.git`, `.vscode` or a startup file may decide what other programs run: nobody is asked to allow it for good.
  if (use === 'write' && /\/\./.test(path)) return []
  const [tool, does] = use === 'read' ? ['Read', 'Reading'] : ['Edit', 'Changing']
  // By its whole path: seen from another project, the same words would be another file.
  const exact = { pattern: `${tool}(/${escapedPath(path)})`, says: `${does} this file.` }
  if (!isInside(project, path) || path === project) return [exact]
  const folders = path
    .slice(project === '/' ? 1 : project.length + 1)
    .split('/')
    .slice(0, -1)
  const [top = ''] = folders
  const wider = folders.length > 1 ? [folders.join('/'), top] : folders.length === 1 ? [top] : []
  const except = use === 'read' ? '' : ', except hidden files'
  return [
    exact,
    ...wider.map((folder) => ({
      // With a slash: a folder that is called `~` is not the home folder.
      pattern: `${tool}(/${escapedPath(folder)}/**)`,
      says: `${does} any file in or below ${inCode(folder)} of a project${except}.`,
    })),
  ]
}

function forAddress(url: string): ProposedRule[] {
  if (!URL.canParse(url)) return []
  const { host } = new URL(url)
  return [{ pattern: `WebFetch(domain:${host})`, says: `Every URL on ${host}.` }]
}
