import { type AskTrail, type HistorySearch, searchWords } from '@holdpoint/core/history'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { Device } from '@holdpoint/schema/device'
import { type HistoryEntry, type HistoryFilter, historyEndpoints } from '@holdpoint/schema/endpoints/history'
import type { NodeId, SessionId } from '@holdpoint/schema/id'
import { findAsk } from '../services/find-ask.ts'
import { exportFormat } from '../services/history-export.ts'
import type { Services } from '../services/services.ts'
import { lightAsk } from '../stream/light.ts'
import { publicAsk } from '../stream/public-ask.ts'
import { refusal } from '../transport/errors.ts'
import { heldStream } from '../transport/held-stream.ts'
import { type Route, route } from '../transport/route.ts'

/** Characters of the asks that are read for one reply, and for one piece of an export (F58). */
const PAGE_SIZE = 4 * 1024 * 1024
const EXPORTED_AT_ONCE = 100
/** More than these nobody looks through. */
const MAX_RULES = 100

type Deps = Pick<Services, 'store' | 'broker' | 'devices' | 'connections' | 'clock' | 'machines'>

type Place = Pick<HistoryEntry, 'project' | 'sessionTitle' | 'machine'>

/** What was asked, and how it ended. */
export function historyRoutes(services: Deps): Route[] {
  const { store, clock, machines } = services

  /** Folders, titles and machines of sessions, each read once. */
  function placesOfSessions() {
    const known = new Map<SessionId, Place>()
    const names = new Map(machines.list()?.map(({ id, name }) => [id, name]))
    return async (id: SessionId) => {
      const place = known.get(id)
      if (place) return place
      const session = await unlessDamaged(store.session(id))
      const found = session
        ? { ...namedMachine(session.node ?? machines.home), project: session.cwd, sessionTitle: session.title }
        : { project: '' }
      known.set(id, found)
      return found
    }
    function namedMachine(id: NodeId | undefined): Pick<Place, 'machine'> {
      const name = id && names.get(id)
      return id && names.size > 1 ? { machine: { id, ...(name !== undefined && { name }) } } : {}
    }
  }

  function filterOf({ text, machine, ...asked }: HistoryFilter, device: Device): HistorySearch {
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
    return {
      ...given,
      ...(text !== undefined && { words: searchWords(text) }),
      ...(machine !== undefined && { nodes: machine === machines.home ? [machine, ''] : [machine] }),
      ...scopeOf(device),
    }
  }

  return [
    route(historyEndpoints.list, {
      action: 'read-asks',
      inTurn: true,
      async handle({ device, query, signal }) {
        const { limit, next, ...asked } = query
        const before = next === undefined ? {} : { before: next }
        const page = await store.history({ ...filterOf(asked, device), ...before, limit, size: PAGE_SIZE }, { signal })
        const placeOf = placesOfSessions()
        const entries = []
        for (const record of page.records) {
          entries.push({ ask: lightAsk(publicAsk(record)), ...(await placeOf(record.ask.sessionId)) })
        }
        return { status: 200, body: { entries, ...(page.next !== undefined && { next: page.next }) } }
      },
    }),
    route(historyEndpoints.choices, {
      action: 'read-asks',
      inTurn: true,
      async handle({ device }) {
        return { status: 200, body: await store.historyChoices(scopeOf(device)) }
      },
    }),
    route(historyEndpoints.letThrough, {
      action: 'read-asks',
      inTurn: true,
      async handle({ device, query }) {
        const until = clock.now()
        const { calls, rules } = await store.letThrough({ from: query.from ?? until, to: until, ...scopeOf(device) })
        const most = rules.toSorted((a, b) => b.calls - a.calls).slice(0, MAX_RULES)
        const shown = []
        for (const { rule, latest, ...counted } of most) {
          const record = await unlessDamaged(store.ask(latest))
          const last = record && { id: latest, title: record.ask.title, at: record.outcome?.at ?? record.ask.raisedAt }
          shown.push({ rule, ...counted, ...(last && { last }) })
        }
        return { status: 200, body: { until, calls, rules: shown } }
      },
    }),
    route(historyEndpoints.export, {
      action: 'read-asks',
      handle(call) {
        const { device, query, signal } = call
        const { format: name, ...asked } = query
        const format = exportFormat(name, { withMachines: (machines.list()?.length ?? 0) > 1 })
        const headers = {
          'content-type': format.contentType,
          'content-disposition': `attachment; filename="holdpoint-history.${name}"`,
          'cache-control': 'no-store',
        }
        return heldStream(services, call, headers, async (out) => {
          const placeOf = placesOfSessions()
          const heads = new Map<SessionId, AskTrail['head']>()
          out.write(format.begin)
          for (let before: number | undefined; ; ) {
            const place = before === undefined ? {} : { before }
            const query = { ...filterOf(asked, device), ...place, limit: EXPORTED_AT_ONCE, size: PAGE_SIZE }
            const { records, next } = await store.history(query, { signal })
            for (const record of records) {
              const { id, sessionId } = record.ask
              const trail = await unlessDamaged(store.askTrail(id))
              if (trail) heads.set(sessionId, trail.head)
              out.write(format.ask({ record, trail, ...(await placeOf(sessionId)) }))
              await out.ready()
              if (signal.aborted) return
            }
            before = next
            if (before === undefined) break
          }
          out.write(format.end(heads))
          out.end()
        })
      },
    }),
    route(historyEndpoints.read, {
      action: 'read-asks',
      inTurn: true,
      async handle({ device, params }) {
        const record = await findAsk(services, { device, askId: params.id ?? '' })
        const trail = record && (await store.askTrail(record.ask.id))
        if (!trail) return refusal('not_found')
        const { sightings, notified, ...chain } = trail
        const place = await placesOfSessions()(record.ask.sessionId)
        const { delivered } = record
        return { status: 200, body: { ask: publicAsk(record), ...place, delivered, sightings, notified, chain } }
      },
    }),
  ]
}

function scopeOf({ sessionIds }: Device): Pick<HistorySearch, 'sessionIds'> {
  return sessionIds ? { sessionIds } : {}
}
