import type { ClusterNode } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { sampleSession } from '@holdpoint/testing/store-contract/store-samples'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { createNoticeDuty } from './notice-duty.ts'

const [A, B, C] = ['a', 'b', 'c'].map((letter) => `nod_${letter.repeat(26)}`) as [NodeId, NodeId, NodeId]

/** The duty of one gateway, and what it reads. */
function start(self: NodeId) {
  const { clock, skip, advance } = createManualClock()
  const gone = new Set<NodeId>()
  let tellNodes = () => {}
  const log = { newest: 7, read: 7, isCut: false, looks: 0 }
  const duty = createNoticeDuty({
    cluster: {
      node: self,
      nodes: () => [C, B, A].map((id) => ({ id, isReachable: !gone.has(id) }) as ClusterNode),
      onNodes(listener) {
        tellNodes = listener
        return () => {}
      },
    },
    machines: { elsewhere: ({ node } = sampleSession(1)) => (node === self ? undefined : node) },
    store: {
      async lastSeq() {
        log.looks++
        if (log.isCut) throw new Error('cut off')
        return log.newest
      },
    },
    ledger: { seq: () => log.read },
    clock,
  })
  const changes: string[] = []
  const ours = () => [A, B, C].filter((node) => duty.isOurs(sampleSession(1, { node }))).join()
  duty.onChanged(() => changes.push(ours()))
  return {
    duty,
    log,
    changes,
    skip,
    ours,
    reach(id: NodeId, isReachable: boolean) {
      if (isReachable) gone.delete(id)
      else gone.add(id)
      tellNodes()
    },
    /** So many seconds, with a look in each. */
    async pass(seconds: number) {
      for (let n = 0; n < seconds; n++) {
        const before = log.looks
        advance(1_000)
        await until(() => log.looks > before, 'the look')
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

describe('which gateway tells people', () => {
  it('is that of the machine, and the first one that can be reached for a machine that cannot', () => {
    const [a, b, c] = [start(A), start(B), start(C)]
    const all = () => [a.ours(), b.ours(), c.ours()]
    expect(all()).toEqual([A, B, C])
    for (const one of [a, b, c]) one.reach(C, false)
    expect(all()).toEqual([`${A},${C}`, B, ''])
    for (const one of [a, b, c]) one.reach(A, false)
    expect(all()).toEqual(['', `${A},${B},${C}`, ''])
    expect([a, b, c].map(({ duty }) => duty.isFirst())).toEqual([false, true, false])
    for (const one of [a, b, c]) one.reach(A, true)
    expect(all()).toEqual([`${A},${C}`, B, ''])
    expect(b.changes).toEqual([B, `${A},${B},${C}`, B])
  })

  it('is not one that was stopped, before it has read what was recorded meanwhile', async () => {
    const { log, ours, skip, pass, changes, duty } = start(A)
    await pass(10)
    expect(ours()).toBe(A)
    log.newest = 9
    skip(5_000)
    // Whatever wakes first, it knows that it was away.
    expect([ours(), duty.isFirst()]).toEqual(['', false])
    await pass(2)
    expect(ours()).toBe('')
    log.newest = 12
    log.read = 9
    await pass(1)
    expect(ours()).toBe(A)
    expect(changes).toEqual(['', A])
  })

  it('is not one that cannot read the log', async () => {
    const { log, ours, pass, changes } = start(A)
    log.isCut = true
    await pass(3)
    expect(ours()).toBe(A)
    await pass(2)
    expect(ours()).toBe('')
    log.isCut = false
    await pass(1)
    expect([ours(), changes]).toEqual([A, ['', A]])
  })
})
