import type { Ask } from '@holdpoint/schema/ask'
import { expect, it } from 'vitest'
import { createOpenRoom, MAX_OPEN_SIZE, MAX_OPEN_SIZE_IN_ALL } from './open-room.ts'
import type { SessionView } from './session-view.ts'

const NEARLY_FULL = MAX_OPEN_SIZE - 1000
const HELD = Math.floor(MAX_OPEN_SIZE_IN_ALL / NEARLY_FULL)
const ask = (id: string, size: number) => ({ id: `ask_${id}`, title: 'x'.repeat(size) }) as unknown as Ask
const viewOf = (...asks: Ask[]) => ({ asks: new Map(asks.map((one) => [one.id, one])) }) as unknown as SessionView

it('F58 counts what takes the place of others in all sessions together, before any of it is committed', () => {
  const room = createOpenRoom()
  const small = Array.from({ length: HELD + 1 }, (_, n) => ask(`small${n}`, 10))
  for (const one of small) room.add(one)
  const taken = small.map((replaced, n) =>
    room.reserve(viewOf(replaced), ask(`large${n}`, NEARLY_FULL), { call: {}, replaced }),
  )
  expect(taken).toEqual([...Array.from({ length: HELD }, () => true), false])
})

it('F58 takes what is no larger in the place of what is open, however full it is', () => {
  const room = createOpenRoom()
  const open = Array.from({ length: HELD }, (_, n) => ask(`open${n}`, NEARLY_FULL))
  for (const one of open) room.add(one)
  for (const replaced of open) {
    const next = ask(`next of ${replaced.id}`, NEARLY_FULL - 100)
    expect(room.reserve(viewOf(replaced), next, { call: {}, replaced })).toBe(true)
  }
  const beside = { call: {}, replaced: undefined }
  expect(room.reserve(viewOf(), ask('beside', NEARLY_FULL), beside)).toBe(false)
})
