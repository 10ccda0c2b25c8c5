import { z } from 'zod'
import { Effect, PolicyRule } from './policy.ts'

const { pattern, agent, match, notMatch, pins, why } = PolicyRule.shape

/** A rule as people write it in a file. */
export const WrittenRule = z.strictObject({
  effect: Effect,
  pattern,
  /** Every kind of agent unless given. */
  agent: agent.default('*'),
  /** The folder that it holds in, absolute or `~/…`; everywhere without it. */
  project: z.string().min(1).max(4096).optional(),
  /** When it ends, such as `2027-01-31T18:00:00Z`. Without it, never. */
  until: z.iso.datetime({ offset: true }).optional(),
  match,
  notMatch,
  pins,
  why,
})
export type WrittenRule = z.infer<typeof WrittenRule>

/** What is in a policy file: that of the owner, or that of a repository. */
export const PolicyFileContent = z.strictObject({ rules: z.array(WrittenRule) })
export type PolicyFileContent = z.infer<typeof PolicyFileContent>

/** The owner's policy file. */
export const PolicyFileState = z.object({
  path: z.string(),
  /** Those in force. While `waiting` is there, the file says more than these. */
  rules: z.array(PolicyRule),
  /** Why the file cannot be used: the rules that were in force before stay. */
  error: z.string().optional(),
  /** What in the file would allow more, and holds only after an owner has confirmed it. */
  waiting: z
    .object({
      /** Of exactly this difference. */
      digest: z.string(),
      /** Rules that would allow from then on. */
      added: z.array(PolicyRule),
      /** Rules that ask or deny, are gone from the file, and hold until then. */
      removed: z.array(PolicyRule),
    })
    .optional(),
})
export type PolicyFileState = z.infer<typeof PolicyFileState>

/** A repository's own policy file. It can only make things stricter. */
export const RepositoryPolicyState = z.object({
  path: z.string(),
  rules: z.array(PolicyRule),
  /** Patterns of its allow rules. They have no effect. */
  ignored: z.array(z.string()),
  /** Why the file cannot be used: every call in the folder asks. */
  error: z.string().optional(),
})
export type RepositoryPolicyState = z.infer<typeof RepositoryPolicyState>
