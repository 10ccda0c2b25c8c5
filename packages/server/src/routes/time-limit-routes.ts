import { timeLimitEndpoints } from '@holdpoint/schema/endpoints/time-limits'
import type { LimitPlace } from '@holdpoint/schema/time-limit'
import type { Services } from '../services/services.ts'
import { MAX_TIME_LIMITS } from '../services/time-limit-settings.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder, fromHome } from '../trust/existing-folder.ts'

export function timeLimitRoutes({ timeLimits, log }: Pick<Services, 'timeLimits' | 'log'>): Route[] {
  function all(): Reply {
    const { ofGateway } = timeLimits
    return { status: 200, body: { limits: timeLimits.list(), ...(ofGateway && { ofGateway }) } }
  }

  const details = ({ project, kind }: LimitPlace) => ({ project: project ?? 'all', kind: kind ?? 'all' })

  return [
    route(timeLimitEndpoints.list, { action: 'set-time-limits', handle: all }),
    route(timeLimitEndpoints.set, {
      action: 'set-time-limits',
      async handle({ body, device }) {
        const project = body.project === undefined ? undefined : await existingFolder(fromHome(body.project))
        if (body.project !== undefined && project === undefined) return refusal('unknown_folder')
        const limit = { ...body, ...(project !== undefined && { project }) }
        if (!(await timeLimits.set(limit))) {
          return refusal('invalid_request', {
            issues: [`there are ${MAX_TIME_LIMITS} limits already: remove one first`],
          })
        }
        log.info('time_limit_set', { ...details(limit), afterMs: limit.afterMs, by: device.id })
        return all()
      },
    }),
    route(timeLimitEndpoints.remove, {
      action: 'set-time-limits',
      async handle({ query, device }) {
        if (!(await timeLimits.remove(query))) return refusal('not_found')
        log.info('time_limit_removed', { ...details(query), by: device.id })
        return all()
      },
    }),
  ]
}
