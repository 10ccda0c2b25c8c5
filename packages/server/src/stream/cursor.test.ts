import type { Ledger } from '@holdpoint/core/ledger'
import { expect, it } from 'vitest'
import { cursorOf, placeOf } from './cursor.ts'

const HASHES = new Map([5, 7].map((seq) => [seq, String(seq).repeat(64)]))
const store = { hashAt: async (seq: number) => HASHES.get(seq) }
const never = new AbortController().signal

/** A gateway that has read up to the fifth of seven events. */
function behind() {
  let seq = 5
  const listeners = new Set<Parameters<Ledger['subscribe']>[0]>()
  return {
    ledger: {
      seq: () => seq,
      hash: () => HASHES.get(seq),
      subscribe(listener: Parameters<Ledger['subscribe']>[0]) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    listeners,
    publish(next: number) {
      seq = next
      for (const listener of [...listeners]) listener([])
    },
  }
}

it('[I7] waits with the cursor of another gateway until this one has read as far', async () => {
  const { ledger, listeners, publish } = behind()
  let found: number | undefined
  const finding = placeOf({ ledger, store }, cursorOf(7, HASHES.get(7)), never).then((place) => {
    found = place
  })
  await expect.poll(() => listeners.size).toBe(1)
  publish(6)
  expect(found).toBeUndefined()
  expect(listeners.size).toBe(1)
  publish(7)
  await finding
  expect(found).toBe(7)
  expect(listeners.size).toBe(0)
})

it('waits for no longer than the client does, and not for a place of another log', async () => {
  const { ledger, listeners } = behind()
  const leaving = new AbortController()
  const finding = placeOf({ ledger, store }, cursorOf(7, HASHES.get(7)), leaving.signal)
  await expect.poll(() => listeners.size).toBe(1)
  leaving.abort()
  expect(await finding).toBeUndefined()
  expect(listeners.size).toBe(0)
  expect(await placeOf({ ledger, store }, cursorOf(7, 'f'.repeat(64)), never)).toBeUndefined()
  expect(await placeOf({ ledger, store }, cursorOf(8, 'f'.repeat(64)), never)).toBeUndefined()
  expect(await placeOf({ ledger, store }, cursorOf(5, HASHES.get(5)), never)).toBe(5)
})
