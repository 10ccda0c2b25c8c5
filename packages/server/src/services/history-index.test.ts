import type { Stored } from '@holdpoint/schema/event'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createLog } from '../system/log.ts'
import { createHistoryIndex, type HistoryIndexDeps } from './history-index.ts'

function watched(work: (signal: AbortSignal | undefined) => Promise<void> = async () => {}) {
  const time = createManualClock()
  const done: string[] = []
  const logged: string[] = []
  let onEvents: (stored: readonly Stored[]) => void = () => {}
  const index = createHistoryIndex({
    store: {
      async indexHistory({ signal }) {
        done.push('history')
        await work(signal)
      },
    },
    pastCalls: { index: async () => void done.push('calls') },
    ledger: {
      subscribe: (listener: typeof onEvents) => (onEvents = listener),
    } as unknown as HistoryIndexDeps['ledger'],
    clock: time.clock,
    log: createLog({ level: 'info', write: (line) => logged.push(line), now: Date.now }),
  })
  return { index, time, done, logged, event: () => onEvents([]) }
}

it('works when nothing has happened for a while, and not before', async () => {
  const { index, time, done, event } = watched()
  index.start()
  time.advance(3000)
  event()
  time.advance(3000)
  expect(done).toEqual([])
  time.advance(3000)
  await until(() => done.length === 2, 'the index')
  expect(done).toEqual(['history', 'calls'])
  time.advance(60_000)
  expect(done).toHaveLength(2)
  event()
  time.advance(6000)
  await until(() => done.length === 4, 'the index again')
  index.close()
})

it('stops for what happens meanwhile, says nothing of that, and goes on later', async () => {
  const { index, time, done, logged, event } = watched(
    (signal) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      ),
  )
  index.start()
  time.advance(6000)
  await until(() => done.length === 1, 'the index')
  event()
  await Promise.resolve()
  expect(done).toEqual(['history'])
  time.advance(6000)
  await until(() => done.length === 2, 'the index again')
  index.close()
  expect(logged).toEqual([])
})

it('tells the log when it cannot, and tries again after the next event', async () => {
  const { index, time, done, logged, event } = watched(async () => {
    throw new Error('disk full')
  })
  index.start()
  time.advance(6000)
  await until(() => logged.length === 1, 'the log')
  expect(logged[0]).toContain('history_not_indexed')
  event()
  time.advance(6000)
  await until(() => done.length === 2, 'another try')
  index.close()
})
