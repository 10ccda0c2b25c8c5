import type { AskRecord } from '@holdpoint/core/store'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import type { DurableEvent } from '@holdpoint/schema/event'
import { findInThread } from '../services/find-in-thread.ts'
import { findSession } from '../services/find-session.ts'
import type { Services } from '../services/services.ts'
import { type ExportedEntry, exportName, threadFormat } from '../services/thread-export.ts'
import { refusal } from '../transport/errors.ts'
import { heldStream } from '../transport/held-stream.ts'
import { type Route, route } from '../transport/route.ts'

/** Of an export, what is read at once (F58). */
const EVENTS_AT_ONCE = 100
const SIZE_AT_ONCE = 4 * 1024 * 1024

type Deps = Pick<Services, 'store' | 'ledger' | 'devices' | 'connections'>

/** A thread as a whole: what is somewhere in it, and all of it as a file. */
export function threadRoutes(services: Deps): Route[] {
  const { store } = services

  /** What an event adds to the thread, as it is now. */
  async function entryOf(event: DurableEvent): Promise<ExportedEntry | undefined> {
    if (event.type === 'ask-raised') {
      const record: AskRecord | undefined = await unlessDamaged(store.ask(event.ask.id))
      return record ?? { ask: event.ask, delivered: false }
    }
    if (event.type !== 'item-added' || event.item.type === 'ask') return undefined
    const { item } = event
    if (item.type !== 'message' || item.status === undefined) return item
    const newest = await store.item({ sessionId: event.sessionId, id: item.id })
    // What was taken back was never said.
    return newest?.type !== 'message' || newest.status === 'cancelled' ? undefined : newest
  }

  return [
    route(sessionEndpoints.find, {
      action: 'read-sessions',
      inTurn: true,
      async handle({ device, params, query, signal }) {
        const session = await findSession(services, device, params.id)
        if (!session) return refusal('not_found')
        return { status: 200, body: await findInThread(store, { sessionId: session.id, ...query, signal }) }
      },
    }),
    route(sessionEndpoints.export, {
      action: 'read-sessions',
      async handle(call) {
        const { device, params, query, signal } = call
        const session = await findSession(services, device, params.id)
        if (!session) return refusal('not_found')
        const { id: sessionId } = session
        const format = threadFormat(query.format)
        const headers = {
          'content-type': format.contentType,
          'content-disposition': `attachment; filename="${exportName(session, query.format)}"`,
          'cache-control': 'no-store',
        }
        return heldStream(services, call, headers, async (out) => {
          out.write(format.begin(session))
          let isFirst = true
          for (let after = 0; ; ) {
            const events = await store.events({ sessionId, after, limit: EVENTS_AT_ONCE, size: SIZE_AT_ONCE })
            for (const { event, seq } of events) {
              after = seq
              const entry = await entryOf(event)
              if (!entry) continue
              out.write(format.entry(entry, isFirst))
              isFirst = false
              await out.ready()
              if (signal.aborted) return
            }
            if (events.length === 0) break
          }
          out.write(format.end)
          out.end()
        })
      },
    }),
  ]
}
