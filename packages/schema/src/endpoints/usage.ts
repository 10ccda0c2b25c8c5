import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { SessionId } from '../id.ts'
import { paths } from '../paths.ts'
import { Usage } from '../usage.ts'

const totals = { used: Usage }

export const UsageReport = z.object({
  total: Usage,
  /** Those with any use, oldest first. The day is of the time zone that was asked for: `2026-11-19`. */
  days: z.array(z.object({ day: z.string(), ...totals })),
  /** By folder, most expensive first. */
  projects: z.array(z.object({ project: z.string(), ...totals })),
  /** Most expensive first, at most 50. Without a title if its record is gone. */
  sessions: z.array(z.object({ id: SessionId, project: z.string(), title: z.string().optional(), ...totals })),
})
export type UsageReport = z.infer<typeof UsageReport>

export const usageEndpoints = {
  read: {
    ...paths.usage.read,
    summary: 'What agents have reported of their use of the model, by day, project and session',
    query: z.strictObject({
      /** Today and the days before it. */
      days: z.coerce.number().int().min(1).max(90).default(30),
      /** Whose days they are, as `Europe/Berlin`. */
      timeZone: z.string().max(64).default('UTC'),
    }),
    replies: { 200: UsageReport },
  },
} satisfies EndpointsOf<typeof paths.usage>
