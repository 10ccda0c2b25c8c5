import { z } from 'zod'
import { Ask } from './ask.ts'
import { AskId, ItemId, RuleId, SessionId } from './id.ts'
import { Item } from './item.ts'
import { NoticeStep, NoticeTarget } from './notification.ts'
import { Actor, Outcome } from './outcome.ts'
import { Rule } from './rule.ts'
import { ArchiveName, Session, SessionError } from './session.ts'
import { Usage } from './usage.ts'

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const base = { sessionId: SessionId, at: z.int() }

const SessionChanges = Session.pick({
  state: true,
  vendorSessionId: true,
  title: true,
  named: true,
  archived: true,
  permissionMode: true,
  model: true,
  trusted: true,
  takesMessages: true,
  mayWait: true,
  epoch: true,
  lifeEpoch: true,
  parkedAt: true,
  context: true,
  budget: true,
})
  .partial()
  .strict()

/** What happened, with its own time: the log holds these, and server and browser fold them by the same function. */
export const DurableEvent = z.discriminatedUnion('type', [
  z.strictObject({ ...base, type: z.literal('session-started'), session: Session }),
  z.strictObject({ ...base, type: z.literal('session-changed'), changes: SessionChanges }),
  z.strictObject({
    ...base,
    type: z.literal('session-ended'),
    reason: z.string(),
    error: SessionError.optional(),
  }),
  /**
   * What its first `events` events say has left the log for this archive. `head` is the hash of the last of them, `sum` the
   * SHA-256 of their part of the archive.
   */
  z.strictObject({
    ...base,
    type: z.literal('session-retired'),
    archive: ArchiveName,
    events: z.int().positive(),
    head: Sha256,
    sum: Sha256,
  }),
  /** What all events before this one say was removed for good. */
  z.strictObject({ ...base, type: z.literal('session-deleted'), by: Actor }),
  z.strictObject({ ...base, type: z.literal('item-added'), item: Item }),
  z.strictObject({
    ...base,
    type: z.literal('item-changed'),
    itemId: ItemId,
    changes: z.strictObject({ status: z.enum(['sent', 'cancelled']) }),
  }),
  z.strictObject({ ...base, type: z.literal('ask-raised'), ask: Ask }),
  z.strictObject({ ...base, type: z.literal('ask-seen'), askId: AskId, by: Actor }),
  /** A notification about these asks went a step further on its way to somebody. */
  z.strictObject({
    ...base,
    type: z.literal('asks-notified'),
    askIds: z.array(AskId).min(1),
    to: NoticeTarget,
    step: NoticeStep,
    reason: z.string().optional(),
  }),
  z.strictObject({ ...base, type: z.literal('ask-settled'), askId: AskId, outcome: Outcome }),
  /** The outcome reached the agent process that asked. */
  z.strictObject({ ...base, type: z.literal('ask-delivered'), askId: AskId }),
  z.strictObject({ ...base, type: z.literal('rule-added'), rule: Rule }),
  z.strictObject({ ...base, type: z.literal('rule-removed'), ruleId: RuleId }),
  /** What the agent has used of its model since it last said so. */
  z.strictObject({
    ...base,
    type: z.literal('usage-reported'),
    /** The session's folder, for totals that outlive the session's own record. */
    cwd: z.string(),
    used: Usage,
    /** The agent's own running total, which `used` was taken from. */
    reported: Usage,
  }),
  z.strictObject({
    ...base,
    type: z.literal('alarm'),
    code: z.enum(['ran-changed', 'ran-after-deny', 'ran-unasked']),
    message: z.string(),
    toolUseId: z.string().optional(),
    askId: AskId.optional(),
    allowed: z.unknown().optional(),
    ran: z.unknown().optional(),
  }),
])
export type DurableEvent = z.infer<typeof DurableEvent>

/** Seen by whoever is connected, never logged. */
export const LiveEvent = z.discriminatedUnion('type', [
  z.strictObject({
    sessionId: SessionId,
    type: z.literal('text-delta'),
    text: z.string(),
    subagent: z.string().optional(),
  }),
  z.strictObject({
    sessionId: SessionId,
    type: z.literal('tool-input-delta'),
    toolUseId: z.string(),
    name: z.string(),
    json: z.string(),
    subagent: z.string().optional(),
  }),
])
export type LiveEvent = z.infer<typeof LiveEvent>

/** A committed event with its places in the log. */
export interface Stored {
  /** Position in the whole log: the cursor of every stream. */
  readonly seq: number
  /** Position in the session's own log, from 1. */
  readonly sessionSeq: number
  /** Its hash in the session's chain: another event at the same place, in a log that was put back, has another one. */
  readonly hash: string
  readonly event: DurableEvent
}
