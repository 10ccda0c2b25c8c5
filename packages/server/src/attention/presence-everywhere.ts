import type { Clock } from '@holdpoint/core/clock'
import type { Cluster } from '@holdpoint/core/cluster'
import type { DeviceId, NodeId } from '@holdpoint/schema/id'
import { AT_ONCE, type NodeMessages } from '../cluster/node-messages.ts'
import { createPresence, type Presence } from './presence.ts'

const REFRESH_MS = 5_000
/** What another gateway has said counts for so long: it may be gone. */
const EXPIRES_MS = 15_000
/** How long a start waits for the others to say who has a page in front. */
const START_MS = 500

type Page = 'front' | 'open' | 'gone'

/** The pages of all gateways: a device that looks at one of them is told nothing by another. */
export function presenceEverywhere(deps: {
  readonly cluster: Pick<Cluster, 'node' | 'nodes'>
  readonly messages: NodeMessages
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
}): Presence & { close(): void } {
  const { cluster, messages, clock } = deps
  const here = createPresence()
  const told = new Map<DeviceId, Page>()
  const elsewhere = new Map<DeviceId, Map<NodeId, { readonly page: Page; readonly until: number }>>()
  const listeners: ((deviceId: DeviceId) => void)[] = []
  let cancel = clock.after(REFRESH_MS, refresh)

  const pageHere = (id: DeviceId): Page => (here.isInFront(id) ? 'front' : here.isOpen(id) ? 'open' : 'gone')

  function isInFront(id: DeviceId): boolean {
    return here.isInFront(id) || [...(elsewhere.get(id)?.values() ?? [])].some(({ page }) => page === 'front')
  }

  function noteAway(id: DeviceId) {
    if (!isInFront(id)) for (const listener of listeners) listener(id)
  }

  function tellChanged(id: DeviceId) {
    const page = pageHere(id)
    if (page === (told.get(id) ?? 'gone')) return
    if (page === 'gone') told.delete(id)
    else told.set(id, page)
    messages.send({ type: 'pages', pages: [[id, page]] })
  }

  function tellAll() {
    const pages = [...told]
    for (let from = 0; from === 0 || from < pages.length; from += AT_ONCE)
      messages.send({ type: 'pages', pages: pages.slice(from, from + AT_ONCE) })
  }

  function refresh() {
    cancel = clock.after(REFRESH_MS, refresh)
    if (told.size > 0) tellAll()
    const now = clock.monotonic()
    for (const [id, pages] of elsewhere) {
      const expired = [...pages].filter(([, { until }]) => until <= now)
      for (const [node] of expired) pages.delete(node)
      if (pages.size === 0) elsewhere.delete(id)
      if (expired.some(([, { page }]) => page === 'front')) noteAway(id)
    }
  }

  messages.on('hello', tellAll)
  messages.on('pages', ({ pages }, from) => {
    for (const [id, page] of pages) {
      const known = elsewhere.get(id) ?? new Map<NodeId, { page: Page; until: number }>()
      const wasInFront = known.get(from)?.page === 'front'
      if (page === 'gone') known.delete(from)
      else known.set(from, { page, until: clock.monotonic() + EXPIRES_MS })
      if (known.size === 0) elsewhere.delete(id)
      else elsewhere.set(id, known)
      if (wasInFront && page !== 'front') noteAway(id)
    }
  })

  /** Once each of the others has said it, or late. */
  const ready = new Promise<void>((resolve) => {
    const silent = new Set(cluster.nodes().flatMap(({ id, isReachable }) => (isReachable ? [id] : [])))
    const heard = (from: NodeId) => {
      silent.delete(from)
      if (silent.size === 0) resolve()
    }
    clock.after(START_MS, resolve)
    messages.on('pages', (_, from) => heard(from))
    messages.send({ type: 'hello' })
    heard(cluster.node)
  })

  here.onAway(noteAway)
  return {
    ready,
    join(id) {
      const page = here.join(id)
      tellChanged(id)
      return {
        set(inFront) {
          page.set(inFront)
          tellChanged(id)
        },
        leave() {
          page.leave()
          tellChanged(id)
        },
      }
    },
    isInFront,
    isOpen: (id) => here.isOpen(id) || elsewhere.has(id),
    onAway: (listener) => void listeners.push(listener),
    close: () => cancel(),
  }
}
