import { retentionEndpoints } from '@holdpoint/schema/endpoints/retention'
import { MAX_KEEPS } from '../services/retention-settings.ts'
import type { Services } from '../services/services.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import { type Route, route } from '../transport/route.ts'
import { existingFolder, fromHome } from '../trust/existing-folder.ts'

export function retentionRoutes({
  retention,
  retentionSettings: settings,
  log,
}: Pick<Services, 'retention' | 'retentionSettings' | 'log'>): Route[] {
  function all(): Reply {
    const { ofGateway } = settings
    return { status: 200, body: { keep: settings.list(), ...(ofGateway !== undefined && { ofGateway }) } }
  }

  return [
    route(retentionEndpoints.list, { action: 'set-retention', handle: all }),
    route(retentionEndpoints.set, {
      action: 'set-retention',
      async handle({ body, device }) {
        const project = body.project === undefined ? undefined : await existingFolder(fromHome(body.project))
        if (body.project !== undefined && project === undefined) return refusal('unknown_folder')
        if (!(await settings.set({ ...body, ...(project !== undefined && { project }) }))) {
          return refusal('invalid_request', {
            issues: [`there are ${MAX_KEEPS} settings already: remove one first`],
          })
        }
        log.info('retention_set', { project: project ?? 'all', days: body.days, by: device.id })
        return all()
      },
    }),
    route(retentionEndpoints.remove, {
      action: 'set-retention',
      async handle({ query, device }) {
        if (!(await settings.remove(query))) return refusal('not_found')
        log.info('retention_removed', { project: query.project ?? 'all', by: device.id })
        return all()
      },
    }),
    route(retentionEndpoints.preview, {
      action: 'set-retention',
      async handle({ query, signal }) {
        return { status: 200, body: await retention.preview(query, signal) }
      },
    }),
  ]
}
