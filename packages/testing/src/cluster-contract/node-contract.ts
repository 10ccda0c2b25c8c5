import { type Cluster, TOLD_BYTES } from '@holdpoint/core/cluster'
import type { NodeId } from '@holdpoint/schema/id'
import { describe, expect, it } from 'vitest'
import { nodeId } from '../store-contract/store-samples.ts'
import type { ClusterWorld } from './cluster-world.ts'

const NOBODY = nodeId(99)

const nodeOf = (on: Cluster, id: NodeId) => on.nodes().find((node) => node.id === id)

export function nodeContract(world: ClusterWorld): void {
  describe('nodes', () => {
    it('list themselves and each other by name, with what they say of themselves', async () => {
      const b = await world.join('machine b')
      const a = await world.join('machine a')
      const ids = [a.cluster.node, b.cluster.node]
      for (const { cluster } of [a, b]) {
        const listed = () => cluster.nodes().filter(({ id }) => ids.includes(id))
        await expect.poll(() => listed().map(({ name }) => name)).toEqual(['machine a', 'machine b'])
        expect(listed().map(({ id }) => id)).toEqual(ids)
        for (const node of listed()) expect(node).toMatchObject({ isReachable: true, isDraining: false })
      }
      let told = 0
      a.cluster.onNodes(() => told++)
      b.cluster.describe({ version: '7.0.0', agents: ['claude', 'other'], address: 'https://b.example' })
      await expect
        .poll(() => nodeOf(a.cluster, b.cluster.node))
        .toMatchObject({ version: '7.0.0', agents: ['claude', 'other'], address: 'https://b.example' })
      expect(told).toBeGreaterThan(0)
    })

    it('are renamed and drained by any of them', async () => {
      const a = await world.join('machine a')
      const b = await world.join('machine b')
      let told = 0
      b.cluster.onNodes(() => told++)
      expect(await a.cluster.rename(b.cluster.node, 'the "big" one')).toBe(true)
      expect(await a.cluster.drain(b.cluster.node, true)).toBe(true)
      for (const { cluster } of [a, b])
        await expect
          .poll(() => nodeOf(cluster, b.cluster.node))
          .toMatchObject({ name: 'the "big" one', isDraining: true })
      expect(told).toBeGreaterThan(0)
      expect(await b.cluster.drain(b.cluster.node, false)).toBe(true)
      await expect.poll(() => nodeOf(a.cluster, b.cluster.node)?.isDraining).toBe(false)
      expect(await a.cluster.rename(NOBODY, 'x')).toBe(false)
      expect(await a.cluster.drain(NOBODY, true)).toBe(false)
    })

    it('F60 are gone after silence: what they do is not known, and they can be forgotten', {
      timeout: 20_000,
    }, async () => {
      const a = await world.join('machine a')
      const b = await world.join('machine b')
      const { node } = b.cluster
      await expect.poll(() => nodeOf(a.cluster, node)?.isReachable).toBe(true)
      expect(await a.cluster.forget(node)).toBe('reachable')
      expect(await a.cluster.forget(NOBODY)).toBe('unknown')
      const seen: (boolean | undefined)[] = []
      a.cluster.onNodes(() => seen.push(nodeOf(a.cluster, node)?.isReachable))
      let isTaken = false
      b.cluster.serve(() => {
        isTaken = true
        return new Promise(() => {})
      })
      const call = () => a.cluster.call(node, 'hello', { signal: new AbortController().signal })
      const reply = call()
      await expect.poll(() => isTaken).toBe(true)
      await world.lose(b)
      expect(await reply).toEqual({ ok: false, why: 'unknown' })
      await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(false)
      expect(nodeOf(a.cluster, node)).toMatchObject({ isReachable: false, name: 'machine b' })
      expect(await call()).toEqual({ ok: false, why: 'unreachable' })
      expect(await a.cluster.forget(node)).toBe('forgotten')
      await expect.poll(() => nodeOf(a.cluster, node)).toBeUndefined()
      expect(await a.cluster.forget(node)).toBe('unknown')
    })
  })

  describe('what is told', () => {
    it('reaches all others in its order, and not the one who tells', async () => {
      const [a, b, c] = [await world.join('a'), await world.join('b'), await world.join('c')]
      const heard: string[][] = [[], [], []]
      for (const [n, { cluster }] of [a, b, c].entries())
        cluster.onTold((text, from) => {
          expect(from).toBe(a.cluster.node)
          heard[n]?.push(text)
        })
      const texts = ['one', 'one', 'two words', 'ü'.repeat(TOLD_BYTES / 2), '']
      for (const text of ['x'.repeat(TOLD_BYTES + 1), ...texts]) a.cluster.tell(text)
      await expect.poll(() => heard).toEqual([[], texts, texts])
    })
  })
}
