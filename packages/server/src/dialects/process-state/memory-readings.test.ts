import type { SessionId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import { createMemoryReadings } from './memory-readings.ts'

const id: SessionId = 'ses_00000000000000000000000001'
const turn = (stateChangedAt: number, state: 'assistant_turn' | 'dead' = 'assistant_turn') => ({
  id,
  state,
  stateChangedAt,
})

/** Readings that come when the test says so. */
function setUp() {
  const views = new Map<SessionId, unknown>([[id, {}]])
  const waiting: ((bytes: number | undefined | Error) => void)[] = []
  const sessions = {
    memoryBytes: () =>
      new Promise<number | undefined>((resolve, reject) => {
        waiting.push((bytes) => (bytes instanceof Error ? reject(bytes) : resolve(bytes)))
      }),
  }
  const readings = createMemoryReadings({ sessions, ledger: { views: () => views } } as never)
  const arrive = async (bytes: number | undefined | Error) => {
    waiting.shift()?.(bytes)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { readings, views, waiting, arrive }
}

it('takes one reading a turn, however many listen, and keeps the last one until the next has come', async () => {
  const { readings, waiting, arrive } = setUp()
  readings.read(turn(1))
  readings.read(turn(1))
  expect(waiting.length).toBe(1)
  await arrive(100)
  readings.read(turn(1))
  expect(waiting.length).toBe(0)
  expect(readings.last(id)).toBe(100)
  readings.read(turn(2))
  expect(readings.last(id)).toBe(100)
  await arrive(200)
  expect(readings.last(id)).toBe(200)
})

it('knows nothing where there is nothing to be read', async () => {
  const { readings, arrive } = setUp()
  readings.read(turn(1))
  await arrive(undefined)
  expect(readings.last(id)).toBeUndefined()
  readings.read(turn(2))
  await arrive(new Error('the host is gone'))
  expect(readings.last(id)).toBeUndefined()
})

it('forgets a process that is dead, also when the reading comes late', async () => {
  const { readings, arrive } = setUp()
  readings.read(turn(1))
  readings.read(turn(2, 'dead'))
  await arrive(100)
  expect(readings.last(id)).toBeUndefined()
})

it('I10 forgets sessions that ended while nobody listened', async () => {
  const { readings, views, arrive } = setUp()
  readings.read(turn(1))
  await arrive(100)
  views.delete(id)
  const other: SessionId = 'ses_00000000000000000000000002'
  views.set(other, {})
  readings.read({ ...turn(1), id: other })
  expect(readings.last(id)).toBeUndefined()
})
