import { z } from 'zod'
import { answersWith } from './answer.ts'
import { Ask } from './ask.ts'
import { DurableEvent, LiveEvent } from './event.ts'
import { SessionId } from './id.ts'
import { MessageItem } from './item.ts'
import { AskNotices } from './notification.ts'
import { Outcome } from './outcome.ts'
import { Session } from './session.ts'

export const Subscribe = z.strictObject({
  type: z.literal('subscribe'),
  /** The latest `cursor` that the client has. A bare number, as of an earlier version, names no place for sure. */
  after: z.union([z.string().max(64), z.int().min(0)]).optional(),
  sessionId: SessionId.optional(),
  /** Comes back in a `subscribed` frame once the client has been sent everything up to then. */
  ref: z.string().max(128).optional(),
})
export type Subscribe = z.infer<typeof Subscribe>

export const SocketAnswer = answersWith({
  type: z.literal('answer'),
  ref: z.string().max(128),
  id: z.string().max(256),
})
export type SocketAnswer = z.infer<typeof SocketAnswer>

/** Whether somebody looks at the page of this client: a device whose page is in front needs no notification. */
const Attention = z.strictObject({ type: z.literal('attention'), inFront: z.boolean() })
export type Attention = z.infer<typeof Attention>

/** What a client may send on `/api/stream`. */
export const ClientFrame = z.discriminatedUnion('type', [Subscribe, SocketAnswer, Attention])
export type ClientFrame = z.infer<typeof ClientFrame>

/** A place in the log. A client sends `cursor` back to continue from there; gateways of an earlier version send none. */
const place = { seq: z.int(), cursor: z.string().optional() }

/** What is open. A long snapshot comes in parts of this. */
export const SnapshotPart = z.strictObject({
  sessions: z.array(Session).readonly(),
  /** Open asks, oldest first. */
  asks: z.array(Ask).readonly(),
  /** Messages that wait for their agent, in order. */
  queued: z.array(z.strictObject({ sessionId: SessionId, item: MessageItem })).readonly(),
  /** Of the asks: who was told, and who has seen them. Gateways of an earlier version send none. */
  notices: z.array(AskNotices).readonly().optional(),
})
export type SnapshotPart = z.infer<typeof SnapshotPart>

/** Everything open, and the place in the log where it was taken. */
export const Snapshot = SnapshotPart.extend(place)
export type Snapshot = z.infer<typeof Snapshot>

const Refusal = z.looseObject({ code: z.string(), message: z.string() })

/** What the gateway sends on `/api/stream`. Clients ignore types that they do not know. */
export const ServerFrame = z.discriminatedUnion('type', [
  Snapshot.extend({ type: z.literal('snapshot') }),
  /** The last part has the place in the log. Together the parts are one snapshot. */
  Snapshot.partial({ seq: true }).extend({ type: z.literal('snapshot-part') }),
  z.strictObject({ type: z.literal('event'), ...place, event: DurableEvent }),
  z.strictObject({ type: z.literal('live'), event: LiveEvent }),
  /** The subscription with this `ref` is up to date; `partial` replaces what is known of texts that are being written. */
  z.strictObject({ type: z.literal('subscribed'), ref: z.string(), partial: z.array(LiveEvent).readonly() }),
  /** The reply to an answer that was sent on the socket: the outcome, or why it was refused. */
  z.strictObject({
    type: z.literal('answered'),
    ref: z.string(),
    status: z.int(),
    outcome: Outcome.optional(),
    error: Refusal.optional(),
  }),
  /** Rules of the policy have changed: whoever shows them reads them again. */
  z.strictObject({ type: z.literal('policy-changed') }),
  /** A machine came, went or was changed: whoever shows them reads them again. */
  z.strictObject({ type: z.literal('machines-changed') }),
  /** The gateway could not read what the client sent. */
  z.strictObject({ type: z.literal('error'), error: Refusal }),
])
export type ServerFrame = z.infer<typeof ServerFrame>
