import { z } from 'zod'
import { AskKind } from './ask.ts'

/** What the agent is told when nobody answered in time: no, or no and stop. */
export const OnTimeout = z.enum(['deny', 'interrupt'])
export type OnTimeout = z.infer<typeof OnTimeout>

/** From a second to a year. */
export const AskTimeout = z.int().min(1000).max(31_536_000_000)

/** How long an ask may wait, and what happens then. */
export const Limit = z.strictObject({
  /** Null: for ever. */
  afterMs: AskTimeout.nullable(),
  onTimeout: OnTimeout.default('deny'),
})
export type Limit = z.infer<typeof Limit>

/** The limit of one kind of ask, in one session. */
export const KindLimit = z.strictObject({ ...Limit.shape, kind: AskKind })
export type KindLimit = z.infer<typeof KindLimit>

/** Which asks a limit is for. */
export const LimitPlace = z.strictObject({
  /** The folder of the sessions. Left out: every folder. */
  project: z.string().min(1).max(4096).optional(),
  /** Left out: every kind. */
  kind: AskKind.optional(),
})
export type LimitPlace = z.infer<typeof LimitPlace>

/** A limit for asks of sessions that are started without one of their own. */
export const TimeLimit = z.strictObject({ ...LimitPlace.shape, ...Limit.shape })
export type TimeLimit = z.infer<typeof TimeLimit>
