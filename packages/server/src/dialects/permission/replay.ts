import { neverOpen } from '@holdpoint/core/never-open'
import { isPermission } from '@holdpoint/core/permission-request'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { Ask } from '@holdpoint/schema/ask'
import type { Stored } from '@holdpoint/schema/event'
import { sees } from '../../auth/devices.ts'
import type { Services } from '../../services/services.ts'
import { cursorOf, placeOf } from '../../stream/cursor.ts'
import { PAGE_SIZE } from '../../stream/subscription.ts'
import type { Call } from '../../transport/route.ts'
import type { TextSink } from '../../transport/text-sink.ts'
import { askedEvent, repliedEvent } from './mapping.ts'
import type { PermissionEvent } from './messages.ts'

const PAGE = 100
/** Events that are gone through for one client; whoever was away longer is told what is open. */
const LONGEST = 10_000

/**
 * What a client missed that comes back by itself (I7): requests that are open still, and the ends of others. Without a
 * `Last-Event-ID` it has just come, and reads the list; with one that names no place in this log, or a log
 * that cannot be read from there, it is told all that is open.
 */
export async function replayMissed(
  services: Pick<Services, 'ledger' | 'store' | 'broker'>,
  options: {
    call: Pick<Call<unknown, unknown>, 'device' | 'request' | 'signal'>
    out: TextSink
    frameText: (event: PermissionEvent, cursor: string) => string
  },
): Promise<void> {
  const { ledger, store } = services
  const { call, out, frameText } = options
  const last = call.request.headers['last-event-id']
  if (typeof last !== 'string' || last === '') return
  const isOpen = (ask: Ask) => ledger.views().get(ask.sessionId)?.asks.has(ask.id) === true

  /**
   * One after another, as the client reads: together they may be tens of megabytes (F58). Gives the place from which on
   * things may have happened meanwhile.
   */
  async function tellOpen(): Promise<number> {
    const place = ledger.seq()
    const cursor = cursorOf(place, ledger.hash())
    const seen = [...ledger.views().values()].filter(({ session }) => sees(call.device, session.id))
    for (const ask of seen.flatMap(({ asks }) => [...asks.values()])) {
      if (!out.writable) await out.ready()
      if (call.signal.aborted) break
      if (isPermission(ask) && isOpen(ask)) out.write(frameText(askedEvent(ask), cursor))
    }
    return place
  }

  async function missed({ seq, hash, event }: Stored): Promise<string | undefined> {
    if (!sees(call.device, event.sessionId)) return undefined
    if (event.type === 'ask-raised' && isPermission(event.ask) && isOpen(event.ask))
      return frameText(askedEvent(event.ask), cursorOf(seq, hash))
    if (event.type !== 'ask-settled' || neverOpen(event.outcome)) return undefined
    const ask = (await unlessDamaged(services.broker.find(event.askId)))?.ask
    return ask && isPermission(ask) ? frameText(repliedEvent(ask, event.outcome), cursorOf(seq, hash)) : undefined
  }

  const found = await placeOf(services, last, call.signal)
  let place = found === undefined || ledger.seq() - found > LONGEST ? await tellOpen() : found
  // Up to the very moment: whoever follows from here on misses nothing.
  while (place < ledger.seq() && !call.signal.aborted) {
    const newest = ledger.seq()
    const read = await unlessDamaged(store.events({ after: place, limit: PAGE, size: PAGE_SIZE }))
    if (!read) {
      place = await tellOpen()
      continue
    }
    const page = read.filter(({ seq }) => seq <= newest)
    for (const stored of page) {
      const text = await missed(stored)
      if (call.signal.aborted) return
      if (text !== undefined) out.write(text)
      if (!out.writable) await out.ready()
    }
    place = page.at(-1)?.seq ?? newest
  }
}
