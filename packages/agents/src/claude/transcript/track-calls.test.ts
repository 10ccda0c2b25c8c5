import { createManualClock } from '@holdpoint/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { readEntry, type TranscriptEntry } from './entry.ts'
import { NO_CALLS } from './open-calls.ts'
import { trackCalls } from './track-calls.ts'

function entry(value: Record<string, unknown>): TranscriptEntry {
  return readEntry(JSON.stringify(value)) as TranscriptEntry
}
const call = (id: string) =>
  entry({ type: 'assistant', message: { id: 'm', content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] } })
const result = (id: string) => entry({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id }] } })
const inMode = (permissionMode: string) => entry({ type: 'permission-mode', permissionMode })

function tracked(from = NO_CALLS) {
  const told: string[] = []
  const time = createManualClock()
  const tracker = trackCalls({
    clock: time.clock,
    from,
    onWaiting: ({ toolUseId }) => told.push(`${toolUseId} waits`),
    onNotWaiting: ({ toolUseId }) => told.push(`${toolUseId} does not wait`),
    onEnded: ({ call: { toolUseId }, end }, wasWaiting) =>
      told.push(`${toolUseId} ${end.kind}${wasWaiting ? ' after waiting' : ''}`),
  })
  return { told, time, tracker, [Symbol.dispose]: () => tracker.close() }
}

describe('tracking calls', () => {
  it('tells of a call once, when its grace is over', () => {
    using world = tracked()
    world.tracker.take([call('t1')])
    expect(world.told).toEqual([])
    world.time.advance(1000)
    world.time.advance(1000)
    world.tracker.take([result('t1')])
    expect(world.told).toEqual(['t1 waits', 't1 ran after waiting'])
  })

  it('tells of no wait when the result comes within the grace', () => {
    using world = tracked()
    world.tracker.take([call('t1')])
    world.time.advance(500)
    world.tracker.take([result('t1')])
    world.time.advance(5000)
    expect(world.told).toEqual(['t1 ran'])
  })

  it('tells of several calls, each in its time', () => {
    using world = tracked()
    world.tracker.take([call('t1')])
    world.time.advance(600)
    world.tracker.take([call('t2')])
    world.time.advance(600)
    expect(world.told).toEqual(['t1 waits'])
    world.time.advance(600)
    expect(world.told).toEqual(['t1 waits', 't2 waits'])
  })

  it('takes back what turned out to run', () => {
    using world = tracked()
    world.tracker.take([call('t1')])
    world.time.advance(1000)
    world.tracker.running('t1')
    expect(world.told).toEqual(['t1 waits', 't1 does not wait'])
  })

  it('takes back what nobody is asked about in the mode of now', () => {
    using world = tracked()
    world.tracker.take([call('t1')])
    world.time.advance(1000)
    world.tracker.take([inMode('bypassPermissions')])
    expect(world.told).toEqual(['t1 waits', 't1 does not wait'])
  })

  it('tells at once of what was open for long when it began', () => {
    const open = new Map([['t1', { toolUseId: 't1', name: 'Bash', input: {}, at: 0, isRunning: false }]])
    using world = tracked({ open })
    expect(world.told).toEqual(['t1 waits'])
  })

  it('ends everything when the file is another one', () => {
    using world = tracked()
    world.tracker.take([call('t1'), call('t2')])
    world.time.advance(1000)
    world.tracker.reset()
    expect(world.told.slice(2)).toEqual(['t1 dropped after waiting', 't2 dropped after waiting'])
    expect(world.tracker.calls.open.size).toBe(0)
  })

  it('tells of nothing once it is closed', () => {
    const world = tracked()
    world.tracker.take([call('t1')])
    world.tracker.close()
    world.time.advance(5000)
    expect(world.told).toEqual([])
  })
})
