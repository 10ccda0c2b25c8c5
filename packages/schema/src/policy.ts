import { z } from 'zod'
import { RuleId, SessionId } from './id.ts'
import { Actor } from './outcome.ts'

export const Effect = z.enum(['allow', 'ask', 'deny'])
export type Effect = z.infer<typeof Effect>

/** Absolute, without `.`, `..`, empty segments or a slash at the end: two spellings of one folder would be two scopes. */
const CanonicalPath = z
  .string()
  .max(4096)
  .regex(
    /^\/$|^(\/(?!\.{1,2}(\/|$))[^/\0]+)+$/,
    'expected an absolute path without . and .. and without a slash at the end',
  )

export const RuleScope = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('session'), sessionId: SessionId }),
  z.strictObject({ kind: z.literal('project'), folder: CanonicalPath }),
  z.strictObject({ kind: z.literal('everywhere') }),
])
export type RuleScope = z.infer<typeof RuleScope>

const OwnTest = z.string().min(1).max(10_000)

/** Files with what is in them; null: there is no such file. */
const Pins = z
  .array(
    z.strictObject({
      path: CanonicalPath,
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .nullable(),
    }),
  )
  .max(50)

export const PolicyRule = z.strictObject({
  id: RuleId,
  effect: Effect,
  /** A kind of agent, or `*` for every one. */
  agent: z.string().min(1).max(100),
  /** What it is about, as text: `Bash(git status)`, `Edit(src/**)`. */
  pattern: z.string().min(1).max(2000),
  scope: RuleScope,
  /** Of one for a session: the life of its agent in which it was made. It ends with that. */
  epoch: z.int().optional(),
  /** When it ends, in milliseconds. Without it, never. */
  until: z.int().optional(),
  /** Commands, paths or addresses that it has to fit. */
  match: z.array(OwnTest).max(50).optional(),
  /** Those that it must not fit. */
  notMatch: z.array(OwnTest).max(50).optional(),
  /** An allow holds only while each of these files is as it was; null: while there is none. Paths are canonical. */
  pins: Pins.optional(),
  why: z.string().max(1000).optional(),
  by: Actor.optional(),
  at: z.int(),
  /** Goes up by one with each edit. */
  revision: z.int().min(0),
})
export type PolicyRule = z.infer<typeof PolicyRule>

/** A rule that would allow a call which waits, before somebody makes it. */
export const ProposedRule = z.strictObject({
  pattern: z.string(),
  /** What it allows: plain sentences. */
  says: z.string(),
  /** Files that have to stay as they are. */
  pins: Pins.optional(),
})
export type ProposedRule = z.infer<typeof ProposedRule>

/** How often a rule has decided, and when last. About: what a crash loses is at most the last half minute. */
export const RuleUse = z.strictObject({ count: z.int().min(0), lastAt: z.int() })
export type RuleUse = z.infer<typeof RuleUse>

/** `none`: no rule says anything, and the gate of the session decides. */
const VerdictEffect = z.enum(['allow', 'ask', 'deny', 'none'])

/** Why the rule asks or denies, in the words of whoever wrote it. */
const why = z.string().optional()

export const PartVerdict = z.strictObject({
  /** As people read it. */
  part: z.string(),
  effect: VerdictEffect,
  /** One plain sentence. */
  reason: z.string(),
  rule: RuleId.optional(),
  why,
})
export type PartVerdict = z.infer<typeof PartVerdict>

/** What the policy says of a call. */
export const Verdict = z.strictObject({
  effect: VerdictEffect,
  /** One plain sentence. */
  reason: z.string(),
  rule: RuleId.optional(),
  why,
  parts: z.array(PartVerdict),
})
export type Verdict = z.infer<typeof Verdict>
