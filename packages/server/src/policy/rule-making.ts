import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PreparedRule } from '@holdpoint/core/broker'
import type { ActionOfCall, WantedCall } from '@holdpoint/core/driver'
import type { Ledger } from '@holdpoint/core/ledger'
import { permissionRequestOf } from '@holdpoint/core/permission-request'
import type { JudgedCall } from '@holdpoint/core/policy'
import { isExactCommand, type RunFile } from '@holdpoint/core/policy/proposed-rules'
import { whyNoRule } from '@holdpoint/core/remembering'
import type { Answer, RememberRequest } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import type { Actor } from '@holdpoint/schema/outcome'
import type { Verdict } from '@holdpoint/schema/policy'
import type { Session } from '@holdpoint/schema/session'
import type { GatewayPolicy } from './policy.ts'
import type { PolicyRules } from './policy-rules.ts'

export interface RuleMakingDeps {
  readonly ledger: Pick<Ledger, 'views'>
  readonly policy: GatewayPolicy
  readonly rules: PolicyRules
  readonly actionOf: (agent: string, call: WantedCall) => ActionOfCall
  readonly now: () => number
}

/** Makes rules of the policy from calls that wait. */
export interface RuleMaking {
  offered(ask: Ask): Promise<Omit<OfferedRules, 'scopes'>>
  /** What is wrong with a rule for this call, if something is: a plain sentence. */
  check(ask: Ask, remember: RememberRequest): Promise<string | undefined>
  prepare(ask: Ask, answer: Answer, actor: Actor): Promise<PreparedRule>
}

export function createRuleMaking({ ledger, policy, rules, actionOf, now }: RuleMakingDeps): RuleMaking {
  function callOf(ask: Ask): { session: Session; call: JudgedCall } | { why: string } {
    const why = whyNoRule(ask)
    const session = ledger.views().get(ask.sessionId)?.session
    if (why !== undefined || !ask.tool || !session)
      return { why: `No rule can be made: ${why ?? 'the session has ended'}.` }
    const call = { tool: ask.tool, cwd: ask.context.cwd }
    return { session, call: { ...call, ...actionOf(ask.agent, call) } }
  }

  /** The rule that is wanted, or what is wrong with it. */
  async function ruleFor(ask: Ask, wanted: RememberRequest): Promise<{ rule: NewRule } | { problem: string }> {
    const of = callOf(ask)
    if ('why' in of) return { problem: of.why }
    const { session, call } = of
    const { rule: pattern = '', scope, until } = wanted
    if (until !== undefined && until <= now()) return { problem: 'The end of the rule is already in the past.' }
    const pins = isExactCommand(pattern) ? await filesRun(ask) : []
    const rule: NewRule = {
      effect: 'allow',
      agent: ask.agent,
      pattern,
      scope: await scopeOf(scope, session),
      ...(until !== undefined && { until }),
      ...(pins.length > 0 && { pins }),
    }
    const checked = rules.check(rule)
    if (checked.problem !== undefined) return { problem: checked.problem }
    const verdict = await policy.tryRule(checked.rule, session, call)
    if (verdict.effect === 'allow') return { rule }
    return { problem: `The rule would not allow this call: ${verdict.reason}` }
  }

  return {
    async offered(ask) {
      const of = callOf(ask)
      if ('why' in of) return { rules: [], suggested: [], why: of.why, project: '' }
      const { session, call } = of
      const files = { run: await filesRun(ask), filesUnknown: ask.filesUnknown }
      const { rules: proposed, whyNone } = await policy.propose(session, call, files)
      const own = new Set(proposed.map(({ pattern }) => pattern))
      const patterns = permissionRequestOf(ask).suggestions.flatMap(({ type, patterns: given, description }) =>
        type === 'addRules' ? given.map((pattern) => ({ pattern, says: description })) : [],
      )
      const suggested = []
      for (const each of patterns.slice(0, MAX_SUGGESTED)) {
        if (own.has(each.pattern)) continue
        if ('rule' in (await ruleFor(ask, { rule: each.pattern, scope: 'session' }))) suggested.push(each)
      }
      const none = proposed.length + suggested.length === 0
      const why = none ? noneBecause((await policy.look(session, call))(), whyNone) : undefined
      const project = await canonical(session.cwd)
      return {
        rules: [...proposed],
        suggested,
        ...(why !== undefined && { why }),
        project,
      }
    },
    async check(ask, remember) {
      const made = await ruleFor(ask, remember)
      return 'problem' in made ? made.problem : undefined
    },
    async prepare(ask, answer, actor) {
      if (answer.kind !== 'allow' || !answer.remember) return { issue: 'there is no rule to make' }
      const made = await ruleFor(ask, answer.remember)
      if ('problem' in made) return { issue: made.problem }
      try {
        const prepared = await rules.prepare(made.rule, actor, ask.id)
        if (prepared.ok) return prepared
        const { refusal } = prepared
        if (refusal.code === 'session_ended') return { issue: 'The session is over.' }
        return { issue: refusal.code === 'invalid' ? refusal.why : 'There are too many rules.' }
      } catch {
        return { why: 'the rule could not be saved' }
      }
    },
  }
}

function noneBecause({ effect, reason }: Verdict, whyNone: () => string): string {
  if (effect === 'allow') return 'Rules allow this already, but the agent itself requires a person for this call.'
  return `There is no rule to propose for this call. ${effect === 'none' ? whyNone() : reason}`
}

/** Of what an agent suggests. */
const MAX_SUGGESTED = 2

async function scopeOf(scope: RememberRequest['scope'], session: Session): Promise<NewRule['scope']> {
  if (scope === 'session') return { kind: 'session', sessionId: session.id }
  return scope === 'project' ? { kind: 'project', folder: await canonical(session.cwd) } : { kind: 'everywhere' }
}

/** By where they really are, as they were shown: also those that are missing, for a command may run one of them later. */
async function filesRun({ files = [] }: Ask): Promise<RunFile[]> {
  const run = files.filter(({ use }) => use === 'runs')
  return Promise.all(run.map(async ({ path, sha256 }) => ({ path: await realPlaceOf(path), sha256 })))
}

/** Of a file that is missing: its folder's place, and its name. */
async function realPlaceOf(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await canonical(dirname(path)), basename(path)))
}

async function canonical(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}
