import { checkRule } from '@holdpoint/core/policy/rule-tests'
import { STARTER_RULES } from '@holdpoint/core/policy/starter-rules'
import { policyEndpoints } from '@holdpoint/schema/endpoints/policy'
import { RuleId } from '@holdpoint/schema/id'
import { actorOf } from '../auth/devices.ts'
import type { RuleRefusal } from '../policy/policy-rules.ts'
import type { Services } from '../services/services.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

type Deps = Pick<Services, 'policy' | 'policyRules' | 'pastCalls' | 'actionOf' | 'trustedFolders' | 'clock'>

/** The rules that people make, and what they say of a call. */
export function policyRoutes({ policy, policyRules, pastCalls, actionOf, trustedFolders, clock }: Deps): Route[] {
  const notTaken = () => {
    const taken = new Set(policyRules.list().map(({ effect, pattern }) => `${effect} ${pattern}`))
    return STARTER_RULES.filter(({ effect, pattern }) => !taken.has(`${effect} ${pattern}`))
  }
  const state = () => ({
    rules: [...policyRules.list()],
    unreadable: [...policyRules.unreadable()],
    starter: notTaken().map(({ effect, pattern, match, notMatch, why }) => ({ effect, pattern, match, notMatch, why })),
  })
  return [
    route(policyEndpoints.read, { action: 'read-policy', handle: () => ({ status: 200, body: state() }) }),
    route(policyEndpoints.add, {
      action: 'change-policy',
      bodyLimit: RULE_BODY,
      async handle({ body, device }) {
        const added = await policyRules.add(body, actorOf(device))
        return added.ok ? { status: 201, body: added.rule } : refused(added.refusal)
      },
    }),
    route(policyEndpoints.change, {
      action: 'change-policy',
      bodyLimit: RULE_BODY,
      async handle({ body, device, params }) {
        const id = RuleId.safeParse(params.id)
        if (!id.success) return refusal('not_found')
        const changed = await policyRules.change(id.data, body.revision, body.rule, actorOf(device))
        return changed.ok ? { status: 200, body: changed.rule } : refused(changed.refusal)
      },
    }),
    route(policyEndpoints.remove, {
      action: 'change-policy',
      async handle({ params }) {
        const isRemoved = await policyRules.remove(params.id ?? '')
        return isRemoved ? { status: 204 } : refusal('not_found')
      },
    }),
    route(policyEndpoints.addStarter, {
      action: 'change-policy',
      async handle({ device }) {
        for (const rule of notTaken()) {
          const added = await policyRules.add(rule, actorOf(device))
          if (!added.ok) return refused(added.refusal)
        }
        return { status: 200, body: state() }
      },
    }),
    route(policyEndpoints.explain, {
      action: 'read-policy',
      bodyLimit: RULE_BODY,
      async handle({ body }) {
        const { agent, tool: name, input, cwd, project = cwd, sessionId } = body
        const call = { tool: { name, input }, cwd }
        const trusted = await trustedFolders.isTrusted(project)
        const session = { agent, cwd: project, trusted, ...(sessionId && { id: sessionId }) }
        const judged = await policy.look(session, { ...call, ...actionOf(agent, call) })
        return { status: 200, body: judged() }
      },
    }),
    route(policyEndpoints.dryRun, {
      action: 'read-policy',
      bodyLimit: RULE_BODY,
      inTurn: true,
      async handle({ body: { rule: given, id = TRIED, days } }) {
        const rule = { ...given, id, at: clock.now(), revision: 0 }
        const why = checkRule(rule)
        if (why !== undefined) return refusal('invalid_request', { message: why })
        return { status: 200, body: await pastCalls.dryRun(rule, days) }
      },
    }),
    route(policyEndpoints.suggestions, {
      action: 'read-policy',
      inTurn: true,
      handle: async () => ({ status: 200, body: { suggestions: await pastCalls.suggestions() } }),
    }),
  ]
}

/** The id of a rule that is only tried. */
const TRIED = `rul_${'0'.repeat(26)}` as const

/** Bytes: fifty own tests of ten thousand characters, and some more. */
const RULE_BODY = 1024 * 1024

function refused(why: RuleRefusal) {
  switch (why.code) {
    case 'not_found':
      return refusal('not_found')
    case 'stale':
      return refusal('changed', { message: 'Somebody else has changed this rule since you read it. Read it again.' })
    case 'too_many':
      return refusal('too_many_rules')
    case 'invalid':
      return refusal('invalid_request', { message: why.why })
    default:
      return why satisfies never
  }
}
