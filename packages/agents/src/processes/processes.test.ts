import { afterEach, expect, it, vi } from 'vitest'
import { recentProcesses } from './processes.ts'

afterEach(() => vi.useRealTimers())

it('looks at the processes once for all who ask within half a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const first = recentProcesses()
  vi.advanceTimersByTime(499)
  expect(recentProcesses()).toBe(first)
  vi.advanceTimersByTime(1)
  const second = recentProcesses()
  expect(second).not.toBe(first)
  expect((await second)?.some(({ pid }) => pid === process.pid) ?? true).toBe(true)
})
