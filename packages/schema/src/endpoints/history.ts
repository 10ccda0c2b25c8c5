import { z } from 'zod'
import { Ask } from '../ask.ts'
import type { EndpointsOf } from '../endpoint.ts'
import { AskId, NodeId, RuleId } from '../id.ts'
import { Notified } from '../notification.ts'
import { Actor, Outcome } from '../outcome.ts'
import { paths } from '../paths.ts'

/** What is looked for. All that is given has to fit. */
const filter = {
  /** Words. Each has to be in the title, command, path, address, question, or in the message of a denial. */
  text: z.string().max(400).optional(),
  tool: z.string().max(512).optional(),
  /** The session's folder. */
  project: z.string().max(4096).optional(),
  /** The machine of the session, where there are several. */
  machine: NodeId.optional(),
  /** The id of the device that answered. */
  device: z.string().max(64).optional(),
  outcome: Outcome.shape.kind.optional(),
  /** The rule that answered. */
  rule: RuleId.optional(),
  /** Settled then or later, in milliseconds. */
  from: z.coerce.number().int().min(0).optional(),
  /** Settled before then. */
  to: z.coerce.number().int().min(0).optional(),
}
export const HistoryFilter = z.strictObject(filter)
export type HistoryFilter = z.infer<typeof HistoryFilter>

const place = {
  /** The session's folder. Empty where its record is damaged. */
  project: z.string(),
  sessionTitle: z.string().optional(),
  /** Where there are several machines. It has no name if it was forgotten. */
  machine: z.object({ id: NodeId, name: z.string().optional() }).optional(),
}

/** A settled ask in a list, without its large parts. */
export const HistoryEntry = z.object({ ask: Ask, ...place })
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** A complete ask, who saw it, and where it stands in the hash chain of its session. */
export const HistoryDetail = z.object({
  ask: Ask,
  ...place,
  /** Whether the agent has been seen to get the outcome. */
  delivered: z.boolean(),
  sightings: z.array(z.object({ by: Actor, at: z.int() })),
  /** Each step of the notifications about it. */
  notified: z.array(Notified),
  chain: z.object({
    /** The event with the outcome: its place in the whole log, and its hash. */
    settled: z.object({ seq: z.int(), hash: z.string() }).optional(),
    /** The newest event of the session: its number there, and its hash. */
    head: z.object({ sessionSeq: z.int(), hash: z.string() }),
  }),
})
export type HistoryDetail = z.infer<typeof HistoryDetail>

/** Calls that rules allowed without asking anybody, by rule, most calls first. */
export const LetThrough = z.object({
  /** When it was counted: what comes later is counted from there. */
  until: z.int(),
  calls: z.int(),
  /** A call that several rules allowed counts for each of them. At most 100 rules. */
  rules: z.array(
    z.object({
      rule: RuleId,
      calls: z.int(),
      /** The newest of them; left out where its record is damaged. */
      last: z.object({ id: AskId, title: z.string(), at: z.int() }).optional(),
    }),
  ),
})
export type LetThrough = z.infer<typeof LetThrough>

export const historyEndpoints = {
  list: {
    ...paths.history.list,
    summary: 'Settled asks that match the search, newest first. Pass next to get the next page',
    query: z.strictObject({
      ...filter,
      limit: z.coerce.number().int().min(1).max(200).default(50),
      /** The `next` of the page before. */
      next: z.coerce.number().int().min(0).optional(),
    }),
    replies: { 200: z.object({ entries: z.array(HistoryEntry), next: z.int().optional() }) },
  },
  choices: {
    ...paths.history.choices,
    summary: 'Every tool, project and device in the history',
    replies: {
      200: z.object({
        tools: z.array(z.string()),
        projects: z.array(z.string()),
        devices: z.array(z.object({ id: z.string(), name: z.string() })),
      }),
    },
  },
  letThrough: {
    ...paths.history.letThrough,
    summary: 'What rules allowed without asking anybody since a time, by rule. Without a time, nothing is counted',
    query: z.strictObject({ from: z.coerce.number().int().min(0).optional() }),
    replies: { 200: LetThrough },
  },
  export: {
    ...paths.history.export,
    summary:
      'All settled asks that match the search, newest first, as a file with secrets masked: a line of JSON for each ask and then for the newest hash of each session, or a table',
    query: z.strictObject({ ...filter, format: z.enum(['jsonl', 'csv']).default('jsonl') }),
    ticketed: true,
    replies: { 200: 'application/x-ndjson or text/csv' },
  },
  read: {
    ...paths.history.read,
    summary: 'One complete ask, who saw it, and its place in the hash chain',
    replies: { 200: HistoryDetail },
  },
} satisfies EndpointsOf<typeof paths.history>
