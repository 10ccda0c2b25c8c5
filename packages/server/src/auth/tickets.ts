import type { Clock } from '@holdpoint/core/clock'
import type { Device } from '@holdpoint/schema/device'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Devices } from './devices.ts'
import type { Surface } from './guard.ts'
import { hashSecret, newSecret } from './secrets.ts'

export const TICKET_MS = 10_000
/** How many one credential may have in hand: as many as may connect at once, and no more than fit in memory (I10). */
const MOST_IN_HAND = 2048

interface Ticket {
  readonly deviceId: DeviceId
  readonly surface: Surface
  readonly path: string
  readonly until: number
}

export interface Tickets {
  /** `undefined` when this credential has too many in hand. */
  issue(holder: { readonly device: Device; readonly surface: Surface; readonly path: string }): string | undefined
  /** Once, at the path it was issued for, within ten seconds, and only while its credential is good. */
  redeem(ticket: string, path: string): { readonly device: Device; readonly surface: Surface } | undefined
}

/**
 * What a browser shows in an address where it can send no header: EventSource and WebSocket (T64). An address ends up in
 * logs and histories, so a ticket is spent by the time it gets there.
 */
export function createTickets(deps: { clock: Pick<Clock, 'monotonic'>; devices: Pick<Devices, 'current'> }): Tickets {
  const { monotonic } = deps.clock
  /** In the order of their ends: all live equally long. */
  const tickets = new Map<string, Ticket>()
  const inHand = new Map<DeviceId, number>()

  function take(hash: string): Ticket | undefined {
    const ticket = tickets.get(hash)
    if (!ticket || !tickets.delete(hash)) return undefined
    const left = (inHand.get(ticket.deviceId) ?? 1) - 1
    if (left === 0) inHand.delete(ticket.deviceId)
    else inHand.set(ticket.deviceId, left)
    return ticket
  }

  return {
    issue({ device, surface, path }) {
      const at = monotonic()
      for (const [hash, { until }] of tickets) {
        if (until > at) break
        take(hash)
      }
      const held = inHand.get(device.id) ?? 0
      if (held >= MOST_IN_HAND) return undefined
      inHand.set(device.id, held + 1)
      const ticket = newSecret()
      tickets.set(hashSecret(ticket), { deviceId: device.id, surface, path, until: at + TICKET_MS })
      return ticket
    },
    redeem(ticket, path) {
      const found = take(hashSecret(ticket))
      if (!found || found.until <= monotonic() || found.path !== path) return undefined
      const device = deps.devices.current(found.deviceId)
      return device && { device, surface: found.surface }
    },
  }
}
