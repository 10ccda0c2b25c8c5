import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { SessionId } from '../id.ts'
import { paths } from '../paths.ts'

/**
 * What is known of all events and the rows made of them, beyond the sessions that go on: those were checked at the start.
 * Not of the file's pages and indexes, which cannot be checked in pieces: `holdpoint verify` looks at those, too.
 */
export const RecordState = z.object({
  /** `checking` before the first result alone: while it is checked again, what the last check found stands. */
  state: z.enum(['not-checked', 'checking', 'events-match', 'damaged', 'failed']),
  /** When the last check ended. */
  checkedAt: z.int().optional(),
  events: z.int().optional(),
  /** Sessions that were not checked: they are damaged, and somebody has accepted that. */
  accepted: z.int().optional(),
  /** At the start it was older than the one that was last used here: a backup was put back. Remembered rules have ended. */
  older: z.literal(true).optional(),
  /** The row that does not fit, and why; or why the check could not be finished. */
  problem: z.string().optional(),
})
export type RecordState = z.infer<typeof RecordState>

export const systemEndpoints = {
  health: {
    ...paths.system.health,
    summary: 'Whether the gateway is up',
    replies: { 200: z.object({ status: z.literal('ok') }) },
  },
  status: {
    ...paths.system.status,
    summary: 'State of the gateway: its version, its record, its policy file, and how busy it is',
    replies: {
      200: z.object({
        version: z.string(),
        record: RecordState,
        /** The longest that anything had to wait lately because the gateway was busy. */
        lagMs: z.number(),
        policyFile: z.object({
          path: z.string(),
          /** Why it cannot be used: the rules that were in force before stay. */
          error: z.string().optional(),
          /** How many changes would allow more, and wait for an owner. */
          waiting: z.int(),
        }),
      }),
    },
  },
  description: {
    ...paths.system.description,
    summary: 'This description',
    replies: { 200: 'OpenAPI 3.1' },
  },
  metrics: {
    ...paths.system.metrics,
    summary: 'Metrics for Prometheus',
    replies: { 200: 'Prometheus text format' },
  },
  events: {
    ...paths.system.events,
    ticketed: true,
    summary: 'Server-sent events: a snapshot or everything after a cursor, then new events',
    query: z.strictObject({ after: z.string().max(64).optional(), sessionId: SessionId.optional() }),
    replies: { 200: 'text/event-stream; charset=utf-8' },
  },
} satisfies EndpointsOf<typeof paths.system>
