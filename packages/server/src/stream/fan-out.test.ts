import type { DurableEvent, Stored } from '@holdpoint/schema/event'
import type { SessionId } from '@holdpoint/schema/id'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { createFanOut, type Frame, MAX_LAG } from './fan-out.ts'

const A: SessionId = 'ses_a'
const B: SessionId = 'ses_b'

function stored(seq: number, sessionId: SessionId = A): Stored {
  const event: DurableEvent = { type: 'session-ended', sessionId, at: seq, reason: 'x' }
  return { seq, hash: '', sessionSeq: seq, event }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

function listener(only?: SessionId) {
  return {
    writable: true,
    dropped: false,
    got: [] as (number | string)[],
    writes: 0,
    wants: (id: SessionId) => only === undefined || only === id,
    write(frames: readonly Frame[]) {
      this.writes++
      this.got.push(...frames.map((frame) => frame.place?.seq ?? frame.event.type))
    },
    drop() {
      this.dropped = true
    },
  }
}

/** A fan-out on a clock of the test's own. */
function setUp(seq = 0) {
  let at = 0
  const fanOut = createFanOut({ now: () => at, seq })
  return {
    fanOut,
    takes: (ms: number) => {
      at += ms
    },
    publish: (...seqs: number[]) => fanOut.publish(seqs.map((each) => stored(each))),
  }
}

describe('the fan-out', () => {
  it('sends every event to every listener that wants it, in order', () => {
    const { fanOut } = setUp()
    const [all, onlyB] = [listener(), listener(B)]
    for (const each of [all, onlyB]) fanOut.join(each, 0)
    fanOut.publish([stored(1), stored(2, B), stored(3)])
    fanOut.publish([stored(4, B)])
    expect(all.got).toEqual([1, 2, 3, 4])
    expect(onlyB.got).toEqual([2, 4])
  })

  it('I7 lets a joiner in after its cursor, without gap or repeat', () => {
    const { fanOut, publish } = setUp()
    publish(...range(1, 50))
    for (const cursor of [50, 49, 20, 0]) {
      const joiner = listener()
      expect(fanOut.join(joiner, cursor)).toBe(true)
      expect(joiner.got).toEqual(range(cursor + 1, 50))
    }
    const early = listener()
    fanOut.join(early, 10)
    publish(51, 52)
    expect(early.got).toEqual(range(11, 52))
  })

  it('sends a joiner to the store when its cursor is too old, and takes it afterwards', () => {
    const { fanOut, publish } = setUp(1000)
    const joiner = listener()
    publish(1001)
    expect(fanOut.join(joiner, 900)).toBe(false)
    expect(fanOut.join(joiner, 1000)).toBe(true)
    expect(joiner.got).toEqual([1001])
  })

  it('I10 keeps little once everybody has it', () => {
    const { fanOut, publish } = setUp()
    const reader = listener()
    fanOut.join(reader, 0)
    for (const seq of range(1, 5000)) publish(seq)
    expect(reader.got.length).toBe(5000)
    expect(fanOut.join(listener(), 4990)).toBe(true)
    expect(fanOut.join(listener(), 4700)).toBe(false)
  })

  it('F31 drops a listener that does not read once it is too far behind, and no other', () => {
    const { fanOut, publish } = setUp()
    const [reads, stopped] = [listener(), listener()]
    for (const each of [reads, stopped]) fanOut.join(each, 0)
    stopped.writable = false
    publish(...range(1, MAX_LAG))
    expect(stopped.dropped).toBe(false)
    publish(...range(MAX_LAG + 1, 3 * MAX_LAG))
    expect(stopped.dropped).toBe(true)
    expect(reads.dropped).toBe(false)
    expect(reads.got).toEqual(range(1, 3 * MAX_LAG))
  })

  it('F31 goes on where a slow listener stopped, when it has read', () => {
    const { fanOut, publish } = setUp()
    const slow = listener()
    fanOut.join(slow, 0)
    publish(1)
    slow.writable = false
    publish(...range(2, 500))
    expect(slow.got).toEqual([1])
    slow.writable = true
    fanOut.drained(slow)
    expect(slow.got).toEqual(range(1, 500))
    expect(slow.dropped).toBe(false)
  })

  it('F31 asks a listener again before it has written it too much', () => {
    const { fanOut, publish } = setUp()
    const slow = listener()
    fanOut.join(slow, 0)
    slow.writable = false
    publish(...range(1, 900))
    slow.writable = true
    const { write } = slow
    slow.write = (frames) => {
      write.call(slow, frames)
      slow.writable = false
    }
    fanOut.drained(slow)
    expect(slow.got.length).toBeLessThanOrEqual(64)
    expect(slow.got).toEqual(range(1, slow.got.length))
  })

  it('does not drop one that reads because its turn had not come', async () => {
    const { fanOut, publish, takes } = setUp()
    const busy = listener()
    const patient = listener()
    const { write } = busy
    busy.write = (frames) => {
      write.call(busy, frames)
      // A pass that takes long: it is followed by a rest, in which events gather.
      takes(50)
    }
    for (const each of [busy, patient]) fanOut.join(each, 0)
    publish(1)
    publish(...range(2, 3 * MAX_LAG))
    expect([busy.dropped, patient.dropped]).toEqual([false, false])
    await until(() => patient.got.length === 3 * MAX_LAG, 'the rest')
    expect(patient.got).toEqual(range(1, 3 * MAX_LAG))
  })

  it('rests after a long pass and then sends what has gathered in few writes', async () => {
    const { fanOut, publish, takes } = setUp()
    const busy = listener()
    const { write } = busy
    busy.write = (frames) => {
      write.call(busy, frames)
      takes(20)
    }
    fanOut.join(busy, 0)
    for (const seq of range(1, 30)) publish(seq)
    expect(busy.got).toEqual([1])
    await until(() => busy.got.length === 30, 'the gathered events')
    expect(busy.writes).toBe(2)
  })

  it('sends live events to those who are there, and keeps none for later', () => {
    const { fanOut, publish } = setUp()
    const here = listener()
    fanOut.publishLive({ type: 'text-delta', sessionId: A, text: 'nobody hears this' })
    fanOut.join(here, 0)
    publish(1)
    fanOut.publishLive({ type: 'text-delta', sessionId: A, text: 'x' })
    publish(2)
    expect(here.got).toEqual([1, 'text-delta', 2])
  })

  it('serves whoever answered first', () => {
    const { fanOut, publish } = setUp()
    const order: string[] = []
    const named = (name: string) => ({ ...listener(), write: () => void order.push(name) })
    const [first, second] = [named('first'), named('second')]
    for (const each of [first, second]) fanOut.join(each, 0)
    fanOut.prefer(second)
    publish(1)
    expect(order).toEqual(['second', 'first'])
  })

  /** A fan-out that rests: somebody has just made a pass long. */
  function resting() {
    const { fanOut, publish, takes } = setUp()
    const busy = listener()
    const { write } = busy
    busy.write = (frames) => {
      write.call(busy, frames)
      takes(20)
    }
    fanOut.join(busy, 0)
    publish(1)
    expect(busy.got).toEqual([1])
    return { fanOut, publish, busy }
  }

  it('serves whoever has answered lately at once, while the others wait for the end of a rest', async () => {
    const { fanOut, publish, busy } = resting()
    const answers = listener()
    fanOut.join(answers, 1)
    fanOut.prefer(answers)
    publish(2, 3)
    expect([answers.got, busy.got]).toEqual([[2, 3], [1]])
    await until(() => busy.got.length === 3, 'the gathered events')
    expect([answers.got, answers.writes]).toEqual([[2, 3], 1])
  })

  it('I10 prefers the sixteen who answered last, and nobody who does not listen', () => {
    const { fanOut, publish } = resting()
    const [first, ...later] = Array.from({ length: 17 }, () => listener())
    for (const each of [first, ...later]) {
      if (!each) continue
      fanOut.join(each, 1)
      fanOut.prefer(each)
    }
    fanOut.prefer(listener())
    publish(2)
    expect(later.map((each) => each.got)).toEqual(later.map(() => [2]))
    expect(first?.got).toEqual([])
    fanOut.close()
  })

  it('forgets whoever leaves, and lets everybody go when it closes', () => {
    const { fanOut, publish } = setUp()
    const [left, stays] = [listener(), listener()]
    for (const each of [left, stays]) fanOut.join(each, 0)
    fanOut.leave(left)
    publish(1)
    expect(left.got).toEqual([])
    expect(fanOut.size()).toBe(1)
    fanOut.close()
    expect([stays.dropped, fanOut.size()]).toEqual([true, 0])
  })
})
