import { listedRule } from '@holdpoint/core/remembering'
import { SessionId } from '@holdpoint/schema/id'
import { ListedRule } from '@holdpoint/schema/rule'
import { z } from 'zod'
import { sees } from '../auth/devices.ts'
import type { Context } from '../context.ts'
import { RecordState } from '../record-check.ts'
import { EVENT_STREAM, serveEvents } from '../stream/sse.ts'
import { VERSION } from '../version.ts'
import { refusal } from './errors.ts'
import { eventStream } from './event-stream.ts'
import { type Route, route } from './route.ts'

export function systemRoutes(context: Context, describe: () => unknown): Route[] {
  const { ledger } = context
  return [
    route({
      method: 'GET',
      path: '/api/health',
      action: 'public',
      summary: 'Whether the gateway is up',
      replies: { 200: z.object({ status: z.literal('ok') }) },
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    }),
    route({
      method: 'GET',
      path: '/api/status',
      action: 'read-metrics',
      summary: 'How the gateway is: its version, the record, and how busy it is',
      replies: {
        200: z.object({
          version: z.string(),
          record: RecordState,
          /** The longest that anything had to wait lately because the gateway was busy. */
          lagMs: z.number(),
        }),
      },
      handle: () => ({
        status: 200,
        body: { version: VERSION, record: context.recordCheck.state(), lagMs: context.lag.ms() },
      }),
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      action: 'read-description',
      summary: 'This description',
      replies: { 200: 'OpenAPI 3.1' },
      handle: () => ({ status: 200, body: describe() }),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      action: 'read-metrics',
      summary: 'Figures for Prometheus',
      replies: { 200: 'Prometheus text format' },
      async handle({ response }) {
        response.writeHead(200, { 'content-type': context.metrics.contentType }).end(await context.metrics.text())
        return undefined
      },
    }),
    route({
      method: 'GET',
      path: '/api/events',
      ticketed: true,
      action: 'read-events',
      summary: 'Server-sent events: a snapshot, or everything after a cursor, then what happens',
      query: z.strictObject({ after: z.string().max(64).optional(), sessionId: SessionId.optional() }),
      replies: { 200: EVENT_STREAM },
      handle(call) {
        const { device, query, request, signal } = call
        const last = request.headers['last-event-id']
        const after = typeof last === 'string' && last !== '' ? last : query.after
        return eventStream(context, call, (out) =>
          serveEvents(context, {
            out,
            device,
            signal,
            ...(query.sessionId && { sessionId: query.sessionId }),
            ...(after !== undefined && { after }),
          }),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/api/rules',
      action: 'read-rules',
      summary:
        'Remembered answers of running sessions: those that hold, and those of older versions with why they do not',
      replies: { 200: z.object({ rules: z.array(ListedRule) }) },
      handle({ device }) {
        const views = [...ledger.views().values()].filter((view) => sees(device, view.session.id))
        return { status: 200, body: { rules: views.flatMap((view) => view.rules.map(listedRule)) } }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/rules/:id',
      action: 'change-rules',
      summary: 'Forget a remembered answer',
      replies: { 204: 'forgotten' },
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
