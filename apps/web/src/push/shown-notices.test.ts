import type { GatewayClient, GatewayState } from '@holdpoint/client/gateway-client'
import { expect, it } from 'vitest'
import { isOver } from './shown-notices.ts'

type Client = Parameters<typeof isOver>[1]

/** `open` and `settled` are known to the page; `later` only to the gateway, with or without an outcome. */
function fakeClient(known: { open?: string[]; settled?: string[]; later?: Record<string, boolean> }): Client {
  const named = (ids: string[] = []) => ids.map((id) => ({ id }))
  const state = { asks: named(known.open), settled: named(known.settled).map((ask) => ({ ask })) }
  const client = {
    getState: () => state as unknown as GatewayState,
    async historyDetail(id: string) {
      const isSettled = known.later?.[id]
      if (isSettled === undefined) return { ok: false, status: 404, code: 'not_found', message: '' }
      return { ok: true, value: { ask: { id, ...(isSettled && { outcome: {} }) } } }
    },
  }
  return client as unknown as Pick<GatewayClient, 'getState' | 'historyDetail'>
}

it('takes away the notification of an ask that is settled, and of no other', async () => {
  const client = fakeClient({ open: ['ask_2'], settled: ['ask_1'] })
  expect(await isOver('ask_1', client, false)).toBe(true)
  expect(await isOver('ask_2', client, true)).toBe(false)
  expect(await isOver('finished-ses_1', client, true)).toBe(false)
  expect(await isOver('test', client, true)).toBe(false)
})

it('leaves the notification of an ask that the page has not heard of yet, and asks the gateway', async () => {
  const client = fakeClient({ later: { ask_open: false, ask_settled: true } })
  expect(await isOver('ask_open', client, true)).toBe(false)
  expect(await isOver('ask_settled', client, false)).toBe(true)
  expect(await isOver('ask_unknown', client, false)).toBe(true)
})

it('takes away the count of several when none is left, or somebody looks at the app', async () => {
  expect(await isOver('asks', fakeClient({ open: ['ask_2'] }), false)).toBe(false)
  expect(await isOver('asks', fakeClient({}), false)).toBe(true)
  expect(await isOver('asks-7k2xq', fakeClient({}), false)).toBe(true)
  expect(await isOver('asks', fakeClient({ open: ['ask_2'] }), true)).toBe(true)
})
