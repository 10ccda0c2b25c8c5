import { z } from 'zod'
import type { EndpointsOf } from '../endpoint.ts'
import { paths } from '../paths.ts'
import { Limit, LimitPlace, TimeLimit } from '../time-limit.ts'

/** What sessions get that are started without limits of their own. */
export const TimeLimits = z.object({
  limits: z.array(TimeLimit),
  /** The limit that the gateway was started with, for asks that none of `limits` is for. Left out: for ever. */
  ofGateway: Limit.optional(),
})
export type TimeLimits = z.infer<typeof TimeLimits>

export const timeLimitEndpoints = {
  list: {
    ...paths.timeLimits.list,
    summary: 'How long asks may wait in sessions that are started without limits of their own',
    replies: { 200: TimeLimits },
  },
  set: {
    ...paths.timeLimits.set,
    summary: 'Set the limit of a project, of a kind of ask, or of both. Sessions that have started keep theirs',
    body: TimeLimit,
    replies: { 200: TimeLimits },
  },
  remove: {
    ...paths.timeLimits.remove,
    summary: 'Remove a limit, by its project and kind',
    query: LimitPlace,
    replies: { 200: TimeLimits },
  },
} satisfies EndpointsOf<typeof paths.timeLimits>
