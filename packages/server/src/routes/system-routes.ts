import { listedRule } from '@holdpoint/core/remembering'
import { ruleEndpoints } from '@holdpoint/schema/endpoints/rules'
import { systemEndpoints } from '@holdpoint/schema/endpoints/system'
import { sees } from '../auth/devices.ts'
import type { Services } from '../services/services.ts'
import { serveEvents } from '../stream/sse.ts'
import { VERSION } from '../system/version.ts'
import { refusal } from '../transport/errors.ts'
import { eventStream } from '../transport/event-stream.ts'
import { type Route, route } from '../transport/route.ts'

type Deps = Pick<
  Services,
  | 'ledger'
  | 'store'
  | 'fanOut'
  | 'partialTexts'
  | 'askNotices'
  | 'devices'
  | 'connections'
  | 'metrics'
  | 'recordCheck'
  | 'lag'
  | 'policyFile'
>

export function systemRoutes(services: Deps, describe: () => unknown): Route[] {
  const { ledger } = services
  return [
    route(systemEndpoints.health, {
      action: 'public',
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    route(systemEndpoints.status, {
      action: 'read-metrics',
      async handle() {
        await services.policyFile.refresh()
        const { path, error, waiting } = services.policyFile.state()
        return {
          status: 200,
          body: {
            version: VERSION,
            record: services.recordCheck.state(),
            lagMs: services.lag.ms(),
            policyFile: {
              path,
              ...(error !== undefined && { error }),
              waiting: waiting ? Math.max(1, waiting.added.length + waiting.removed.length) : 0,
            },
          },
        }
      },
    }),
    route(systemEndpoints.description, {
      action: 'read-description',
      handle: () => ({ status: 200, body: describe() }),
    }),
    route(systemEndpoints.metrics, {
      action: 'read-metrics',
      async handle({ response }) {
        response.writeHead(200, { 'content-type': services.metrics.contentType }).end(await services.metrics.text())
        return undefined
      },
    }),
    route(systemEndpoints.events, {
      action: 'read-events',
      handle(call) {
        const { device, query, request, signal } = call
        const last = request.headers['last-event-id']
        const after = typeof last === 'string' && last !== '' ? last : query.after
        return eventStream(services, call, (out) =>
          serveEvents(services, {
            out,
            device,
            signal,
            ...(query.sessionId && { sessionId: query.sessionId }),
            ...(after !== undefined && { after }),
          }),
        )
      },
    }),
    route(ruleEndpoints.list, {
      action: 'read-rules',
      handle({ device }) {
        const views = [...ledger.views().values()].filter((view) => sees(device, view.session.id))
        return { status: 200, body: { rules: views.flatMap((view) => view.rules.map(listedRule)) } }
      },
    }),
    route(ruleEndpoints.remove, {
      action: 'change-rules',
      async handle({ device, params }) {
        const holder = [...ledger.views().values()].find((view) => view.rules.some((rule) => rule.id === params.id))
        const rule = holder?.rules.find((candidate) => candidate.id === params.id)
        if (!holder || !rule || !sees(device, holder.session.id)) return refusal('not_found')
        const sessionId = holder.session.id
        await ledger.transact(sessionId, (view, at) => ({
          events: view?.rules.some(({ id }) => id === rule.id)
            ? [{ type: 'rule-removed', sessionId, at, ruleId: rule.id }]
            : [],
          result: undefined,
        }))
        return { status: 204 }
      },
    }),
  ]
}
