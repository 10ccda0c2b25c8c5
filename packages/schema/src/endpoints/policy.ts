import { z } from 'zod'
import { ToolInput } from '../ask.ts'
import { CallAction } from '../call-action.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { AskId, NodeId, RuleId, SessionId } from '../id.ts'
import { paths } from '../paths.ts'
import { PolicyRule, RuleScope, RuleUse, Verdict } from '../policy.ts'
import { PolicyFileContent, PolicyFileState, RepositoryPolicyState } from '../policy-file.ts'

/** What a person says of a rule. The gateway adds its id, who made it and when. */
export const NewRule = PolicyRule.omit({ id: true, epoch: true, by: true, at: true, revision: true })
export type NewRule = z.infer<typeof NewRule>

/** A rule that is offered, before somebody takes it over as their own. */
const OfferedRule = PolicyRule.pick({ effect: true, pattern: true, match: true, notMatch: true, why: true })

export const PolicyState = z.object({
  rules: z.array(PolicyRule),
  /** Ids of saved rules that cannot be read. While there is one, every call asks. Each can be removed. */
  unreadable: z.array(z.string()),
  /** Rules of the starter set that are not among the rules. */
  starter: z.array(OfferedRule),
  /** Rules that came from the starter set and were not edited. */
  fromStarter: z.array(RuleId),
  /** The owner's policy file. */
  file: PolicyFileState,
  /** Those of other machines, where there are some. What asks or denies in them holds on this one, too. */
  otherFiles: z
    .array(z.object({ machine: z.object({ id: NodeId, name: z.string() }), file: PolicyFileState }))
    .optional(),
  /** The policy file of the folder that was asked about, if it has one. */
  repository: RepositoryPolicyState.optional(),
  /** What may be wrong with a rule, such as a tool that no agent is known to have. */
  warnings: z.array(z.object({ rule: RuleId, text: z.string() })),
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

/** What a rule would have done to the asks of the past. */
export const DryRunResult = z.object({
  days: z.int(),
  /** Asks that the rule would have decided. */
  asks: z.int(),
  /** Of these: how many a person allowed, and how many a person denied. */
  allowed: z.int(),
  denied: z.int(),
  /** The newest of those that a person denied. */
  deniedAsks: z.array(z.object({ id: AskId, title: z.string(), at: z.int() })),
})
export type DryRunResult = z.infer<typeof DryRunResult>

/** A rule for what people have allowed again and again. */
export const SuggestedRule = z.object({
  rule: PolicyRule.pick({ effect: true, agent: true, pattern: true, scope: true }),
  /** The asks that it would have saved. */
  saved: z.int(),
  /** The newest of them. */
  latest: AskId,
})
export type SuggestedRule = z.infer<typeof SuggestedRule>

const Apply = z.boolean().default(false)

const ImportBody = z.discriminatedUnion('format', [
  /** `permissions` of Claude Code's settings. */
  z.strictObject({
    format: z.literal('claude-code'),
    settings: z.record(z.string(), z.unknown()),
    scope: RuleScope,
    apply: Apply,
  }),
  /** A policy file, as the export makes it. */
  z.strictObject({ format: z.literal('holdpoint'), file: PolicyFileContent, apply: Apply }),
])
export type ImportBody = z.infer<typeof ImportBody>

/** A rule as it is written where it comes from, and why it has no counterpart. */
const NotMapped = z.object({ rule: z.string(), why: z.string() })

export const policyEndpoints = {
  read: {
    ...paths.policy.read,
    summary: 'The rules of the policy, the policy file, and rules that are offered',
    query: z.strictObject({ folder: z.string().max(4096).optional() }),
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
  removeStarter: {
    ...paths.policy.removeStarter,
    summary:
      'Remove rules that came from the starter set. Refused whole if one of them was edited or removed meanwhile',
    /** Those that the person was shown. */
    body: z.strictObject({ rules: z.array(RuleId).min(1).max(1000) }),
    replies: { 200: PolicyState },
  },
  explain: {
    ...paths.policy.explain,
    summary: 'What the rules decide about a call, part by part. Nothing runs and nothing is recorded',
    body: ExplainCall,
    replies: { 200: Verdict },
  },
  dryRun: {
    ...paths.policy.dryRun,
    summary:
      'What a rule would have done to the asks of the last days, and which of them a person denied. Nothing is changed',
    body: z.strictObject({
      rule: NewRule,
      /** The rule that it would replace. */
      id: RuleId.optional(),
      days: z.int().min(1).max(3650).default(30),
    }),
    replies: { 200: DryRunResult },
  },
  suggestions: {
    ...paths.policy.suggestions,
    summary:
      'The narrowest rules for what people allowed at least five times in a project and never denied, most asks saved first',
    replies: { 200: z.object({ suggestions: z.array(SuggestedRule) }) },
  },
  confirmFile: {
    ...paths.policy.confirmFile,
    summary: 'Confirm what more the policy file would allow. Refused as `changed` if that is not what was shown',
    body: z.strictObject({ digest: z.string().max(200) }),
    replies: { 200: PolicyFileState },
  },
  import: {
    ...paths.policy.import,
    summary: "Convert the rules of Claude Code's settings, or of a policy file. Adds them only with `apply`",
    body: ImportBody,
    replies: {
      200: z.object({
        /** Those that were added, or would be. */
        added: z.array(NewRule),
        /** Those that are among the rules already. */
        known: z.array(NewRule),
        notMapped: z.array(NotMapped),
        applied: z.boolean(),
      }),
    },
  },
  export: {
    ...paths.policy.export,
    summary: "The rules in force as a policy file, or as `permissions` of Claude Code's settings",
    query: z.strictObject({
      format: z.enum(['holdpoint', 'claude-code']).default('holdpoint'),
      /** For Claude Code: the project whose settings they are for; those of the user without it. */
      folder: z.string().max(4096).optional(),
    }),
    replies: { 200: z.object({ content: z.record(z.string(), z.unknown()), notMapped: z.array(NotMapped) }) },
  },
  check: {
    ...paths.policy.check,
    summary: 'Whether a rule could be saved, and what the rules would then decide about a call. Nothing is saved',
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
