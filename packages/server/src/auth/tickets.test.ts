import type { Device } from '@holdpoint/schema/device'
import { expect, it } from 'vitest'
import { createTickets, TICKET_MS } from './tickets.ts'

function setUp() {
  const device: Device = { id: 'dev_1', name: 'page', role: 'owner', createdAt: 0, lastSeenAt: 0 }
  const other: Device = { ...device, id: 'dev_2' }
  let at = 0
  let known: readonly Device[] = [device, other]
  const tickets = createTickets({
    clock: { monotonic: () => at },
    devices: { current: (id) => known.find((one) => one.id === id) },
  })
  return {
    ...tickets,
    other,
    issue: (path = '/event', holder = device) => tickets.issue({ device: holder, surface: 'web', path }) ?? '',
    pass: (ms: number) => (at += ms),
    revoke: () => {
      known = []
    },
  }
}

it('T64 a ticket opens one path, once', () => {
  const { issue, redeem } = setUp()
  const ticket = issue()
  expect(ticket).toMatch(/^[\w-]{43}$/)
  expect(redeem(ticket, '/event')).toMatchObject({ device: { id: 'dev_1' }, surface: 'web' })
  expect(redeem(ticket, '/event')).toBeUndefined()
  const misused = issue()
  expect(redeem(misused, '/api/stream')).toBeUndefined()
  expect(redeem(misused, '/event')).toBeUndefined()
  expect(redeem('made-up', '/event')).toBeUndefined()
})

it('T64 a ticket ends after ten seconds, and with its credential', () => {
  const { issue, redeem, pass, revoke } = setUp()
  const [last, late] = [issue(), issue()]
  pass(TICKET_MS - 1)
  expect(redeem(last, '/event')).toBeDefined()
  pass(1)
  expect(redeem(late, '/event')).toBeUndefined()
  const revoked = issue()
  revoke()
  expect(redeem(revoked, '/event')).toBeUndefined()
})

it('I10 a credential has so many tickets in hand and no more, and takes none from others', () => {
  const { issue, redeem, pass, other } = setUp()
  const held = Array.from({ length: 2048 }, () => issue())
  expect(held.every((ticket) => ticket !== '')).toBe(true)
  expect(issue()).toBe('')
  expect(issue('/event', other)).not.toBe('')
  expect(redeem(held[0] ?? '', '/event')).toBeDefined()
  expect(issue()).not.toBe('')
  pass(TICKET_MS)
  expect(issue()).not.toBe('')
})
