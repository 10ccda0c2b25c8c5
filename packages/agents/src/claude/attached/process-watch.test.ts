import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { createProcessWatch } from './process-watch.ts'
import { createRounds } from './rounds.ts'

/** A clock that counts how often somebody is woken. */
function countingClock() {
  const time = createManualClock()
  let wakes = 0
  const after: typeof time.clock.after = (ms, callback) =>
    time.clock.after(ms, () => {
      wakes++
      callback()
    })
  return { clock: { ...time.clock, after }, advance: time.advance, wakes: () => wakes }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('createRounds', () => {
  it('F59 wakes once a second for three thousand, for twenty of them in turn, and for nobody not at all', async () => {
    const { clock, advance, wakes } = countingClock()
    const rounds = createRounds(clock)
    const calls = new Map<number, number>()
    const stops = Array.from({ length: 3000 }, (_, index) =>
      rounds.add(async () => void calls.set(index, (calls.get(index) ?? 0) + 1)),
    )
    for (let second = 0; second < 10; second++) {
      advance(1000)
      await settled()
    }
    expect(wakes()).toBe(10)
    expect(calls.size).toBe(200)
    for (const stop of stops) stop()
    advance(1000)
    await settled()
    advance(60_000)
    await settled()
    expect(wakes()).toBe(11)
    expect(calls.size).toBe(200)
  })

  it('calls each of a few every second, also after one that failed', async () => {
    const { clock, advance } = countingClock()
    const rounds = createRounds(clock)
    const called: string[] = []
    rounds.add(async () => {
      called.push('a')
      throw new Error('no')
    })
    rounds.add(async () => void called.push('b'))
    for (let second = 0; second < 3; second++) {
      advance(1000)
      await settled()
    }
    expect(called.join('')).toBe('ababab')
  })
})

describe('createProcessWatch', () => {
  it('F59 has one timer for three thousand, and reads of the machine’s processes no more than its rounds do', async () => {
    const { clock, advance, wakes } = countingClock()
    const asked: number[] = []
    const watch = createProcessWatch(clock, (pid) => asked.push(pid) > 0)
    for (let count = 0; count < 3000; count++) watch.add({ pid: process.pid }, () => {})
    for (let half = 0; half < 4; half++) {
      advance(500)
      await settled()
    }
    expect(wakes()).toBeLessThanOrEqual(6)
    expect(asked).toHaveLength(4 * 3000)
  })

  it('tells that a process is gone, once, and nothing of one that is not watched any more', async () => {
    const { clock, advance } = countingClock()
    const watch = createProcessWatch(clock)
    const told: string[] = []
    const child = spawn('sleep', ['600'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const pid = child.pid ?? 0
    watch.add({ pid }, () => told.push('gone'))
    watch.add({ pid }, () => told.push('stopped'))()
    watch.add({ pid: process.pid }, () => told.push('never'))
    // Another process has got the pid since.
    watch.add({ pid: process.pid, startedAt: 1 }, () => told.push('reused'))
    advance(500)
    await settled()
    expect(told).toEqual([])
    await until(() => {
      advance(1000)
      return told.includes('reused')
    }, 'the pid to be looked at')
    child.kill('SIGKILL')
    await once(child, 'exit')
    advance(500)
    advance(500)
    expect(told).toEqual(['reused', 'gone'])
  })
})
