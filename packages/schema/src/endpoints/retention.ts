import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { paths } from '../paths.ts'

const Days = z.int().min(1).max(36_500)

/** For which sessions it is. */
export const KeepPlace = z.strictObject({
  /** The folder of the sessions. Left out: every folder that has no rule of its own. */
  project: z.string().min(1).max(4096).optional(),
})
export type KeepPlace = z.infer<typeof KeepPlace>

/** How long ended sessions stay in the log after they last changed. Then they move to the archive. */
export const Keep = z.strictObject({
  ...KeepPlace.shape,
  /** Null: for ever. */
  days: Days.nullable(),
})
export type Keep = z.infer<typeof Keep>

export const Retention = z.object({
  keep: z.array(Keep),
  /** What the gateway was started with, for folders that none of `keep` is for. Left out: for ever. */
  ofGateway: Days.optional(),
})
export type Retention = z.infer<typeof Retention>

/** What would leave the log now. */
export const RetentionPreview = z.object({
  sessions: z.int(),
  events: z.int(),
  /** About so many, before they are compressed. */
  bytes: z.int(),
  /** When the oldest of them last changed. */
  oldestAt: z.int().optional(),
  /** There are more: so many were counted. */
  more: z.boolean().optional(),
})
export type RetentionPreview = z.infer<typeof RetentionPreview>

export const retentionEndpoints = {
  list: {
    ...paths.retention.list,
    summary: 'How long ended sessions stay in the log before they move to the archive',
    replies: { 200: Retention },
  },
  set: {
    ...paths.retention.set,
    summary:
      'Set how long ended sessions stay in the log: those of a project, or all others. Those that are older move soon',
    body: Keep,
    replies: { 200: Retention },
  },
  remove: {
    ...paths.retention.remove,
    summary: 'Remove a setting, by its project',
    query: KeepPlace,
    replies: { 200: Retention },
  },
  preview: {
    ...paths.retention.preview,
    summary: 'What would move to the archive with such a setting, if it were made now',
    query: z.strictObject({ ...KeepPlace.shape, days: z.coerce.number().pipe(Days) }),
    replies: { 200: RetentionPreview },
  },
} satisfies EndpointsOf<typeof paths.retention>
