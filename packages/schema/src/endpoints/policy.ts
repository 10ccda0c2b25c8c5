import { z } from 'zod'
import { ToolInput } from '../ask.ts'
import { CallAction } from '../call-action.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { RuleId, SessionId } from '../id.ts'
import { paths } from '../paths.ts'
import { PolicyRule, RuleUse, Verdict } from '../policy.ts'

/** What a person says of a rule. The gateway adds its id, who made it and when. */
export const NewRule = PolicyRule.omit({ id: true, by: true, at: true, revision: true })
export type NewRule = z.infer<typeof NewRule>

/** A rule that is offered, before somebody takes it over as their own. */
const OfferedRule = PolicyRule.pick({ effect: true, pattern: true, match: true, notMatch: true, why: true })

export const PolicyState = z.object({
  rules: z.array(PolicyRule),
  /** Ids of saved rules that cannot be read. While there is one, every call asks. Each can be removed. */
  unreadable: z.array(z.string()),
  /** Rules of the starter set that are not among the rules. */
  starter: z.array(OfferedRule),
  /** By the id of the rule, for those that have decided something. */
  uses: z.record(z.string(), RuleUse),
})
export type PolicyState = z.infer<typeof PolicyState>

/** A call that is only tried: a tool with its input, or what it would do. A path may be one from the folder of the call. */
export const ExplainCall = z.strictObject({
  agent: z.string().min(1).max(100).default('claude'),
  tool: z.string().min(1).max(512).optional(),
  input: ToolInput.optional(),
  /** Instead of a tool and its input. */
  action: CallAction.optional(),
  /** The folder that the call is made in. */
  cwd: z.string().max(4096),
  /** The folder of the session; that of the call unless given. */
  project: z.string().max(4096).optional(),
  /** The session whose own rules count, too. */
  sessionId: SessionId.optional(),
})
export type ExplainCall = z.infer<typeof ExplainCall>

/** A rule that is not saved yet, and a call to try it with. */
const CheckRule = z.strictObject({
  rule: NewRule,
  /** The saved rule that it would take the place of. */
  id: RuleId.optional(),
  call: ExplainCall.optional(),
})

export const policyEndpoints = {
  read: {
    ...paths.policy.read,
    summary: 'The rules of the policy, and rules that are offered',
    replies: { 200: PolicyState },
  },
  add: {
    ...paths.policy.add,
    summary: 'Add a rule. One that cannot be read, or that fails its own tests, is refused',
    body: NewRule,
    replies: { 201: PolicyRule },
  },
  change: {
    ...paths.policy.change,
    summary: 'Replace a rule, if its revision is still this one. Otherwise it is refused as `changed`',
    body: z.strictObject({ revision: z.int().min(0), rule: NewRule }),
    replies: { 200: PolicyRule },
  },
  remove: {
    ...paths.policy.remove,
    summary: 'Remove a rule. It has no effect from now on',
    replies: { 204: 'removed' },
  },
  addStarter: {
    ...paths.policy.addStarter,
    summary: 'Add the rules of the starter set that are not among the rules',
    replies: { 200: PolicyState },
  },
  explain: {
    ...paths.policy.explain,
    summary: 'What the rules say of a call, part by part. Nothing runs and nothing is recorded',
    body: ExplainCall,
    replies: { 200: Verdict },
  },
  check: {
    ...paths.policy.check,
    summary: 'Whether a rule could be saved, and what the rules would say of a call with it. Nothing is saved',
    body: CheckRule,
    replies: {
      200: z.object({
        /** What is wrong with the rule: one plain sentence. */
        problem: z.string().optional(),
        /** Of the call, if the rule could be saved. */
        verdict: Verdict.optional(),
      }),
    },
  },
} satisfies EndpointsOf<typeof paths.policy>
