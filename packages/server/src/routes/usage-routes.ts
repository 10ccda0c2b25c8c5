import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import { usageEndpoints } from '@holdpoint/schema/endpoints/usage'
import type { Services } from '../services/services.ts'
import { dayNames, startOfDays, usageReport } from '../services/usage-report.ts'
import { refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'

/** What agents have used of their models. */
export function usageRoutes({ store, clock }: Pick<Services, 'store' | 'clock'>): Route[] {
  return [
    route(usageEndpoints.read, {
      action: 'read-sessions',
      inTurn: true,
      async handle({ device, query }) {
        const dayOf = dayNames(query.timeZone)
        if (!dayOf) return refusal('invalid_request', { issues: ['timeZone is not a time zone'] })
        const now = clock.now()
        const { sessionIds } = device
        const from = startOfDays(now, query.days, dayOf)
        const counts = await store.usage({ from, to: now + 1, ...(sessionIds && { sessionIds }) })
        const sessions = []
        for (const count of counts.sessions) {
          const title = (await unlessDamaged(store.session(count.id)))?.title
          sessions.push({ ...count, ...(title !== undefined && { title }) })
        }
        return { status: 200, body: { ...usageReport(counts, dayOf), sessions } }
      },
    }),
  ]
}
