import { describe, expect, it } from 'vitest'
import type { ClusterWorld } from './cluster-world.ts'

const never = () => new AbortController().signal

export function callContract(world: ClusterWorld): void {
  async function two() {
    const [a, b] = [await world.join('a'), await world.join('b')]
    await expect.poll(() => a.cluster.nodes().some(({ id }) => id === b.cluster.node)).toBe(true)
    return { a, b, to: b.cluster.node }
  }

  /** Takes calls, and leaves them as they are. */
  async function holding() {
    const { a, b, to } = await two()
    const taken: AbortSignal[] = []
    let release: (reply: string) => void = () => {}
    const reply = new Promise<string>((resolve) => {
      release = resolve
    })
    b.cluster.serve((_, { signal }) => {
      taken.push(signal)
      return reply
    })
    return { a, b, to, taken, release }
  }

  describe('a call to another node', () => {
    it('is done once, and gives its reply, whatever is said', async () => {
      const { a, b, to } = await two()
      const served: string[] = []
      b.cluster.serve(async (body) => {
        served.push(body)
        return `${body}!`
      })
      const bodies = [
        '',
        'plain',
        'NUL \0, half of a pair \ud800, a mark \ufeff',
        ...Array.from({ length: 10 }, String),
      ]
      const replies = await Promise.all(bodies.map((body) => a.cluster.call(to, body, { signal: never() })))
      expect(replies).toEqual(bodies.map((body) => ({ ok: true, reply: `${body}!` })))
      expect(served.toSorted()).toEqual(bodies.toSorted())
    })

    it('takes eight megabytes there and back', { timeout: 20_000 }, async () => {
      const { a, b, to } = await two()
      b.cluster.serve(async (body) => body.toUpperCase())
      const reply = await a.cluster.call(to, 'x'.repeat(8_000_000), { signal: never() })
      expect(reply.ok && reply.reply === 'X'.repeat(8_000_000)).toBe(true)
    })

    it('says that it is not known what came of it, where the other one failed', async () => {
      const { a, b, to } = await two()
      b.cluster.serve(() => Promise.reject(new Error('a bug')))
      expect(await a.cluster.call(to, 'x', { signal: never() })).toEqual({ ok: false, why: 'unknown' })
    })

    it('that is called off after it was taken is not known, and its signal aborts there', async () => {
      const { a, to, taken } = await holding()
      const stop = new AbortController()
      const reply = a.cluster.call(to, 'x', { signal: stop.signal })
      await expect.poll(() => taken.length).toBe(1)
      stop.abort()
      expect(await reply).toEqual({ ok: false, why: 'unknown' })
      await expect.poll(() => taken[0]?.aborted).toBe(true)
    })

    it('that is called off before it was taken is never taken', async () => {
      const { a, b, to } = await two()
      const stop = new AbortController()
      const reply = a.cluster.call(to, 'not this', { signal: stop.signal })
      stop.abort()
      expect(await reply).toEqual({ ok: false, why: 'unreachable' })
      const served: string[] = []
      b.cluster.serve(async (body) => {
        served.push(body)
        return ''
      })
      expect(await a.cluster.call(to, 'this', { signal: never() })).toEqual({ ok: true, reply: '' })
      expect(served).toEqual(['this'])
      expect(await a.cluster.call(to, 'x', { signal: AbortSignal.abort() })).toEqual({ ok: false, why: 'unreachable' })
    })

    it('is not waited for any more when the caller closes', async () => {
      const { a, b, to, taken } = await holding()
      const reply = a.cluster.call(to, 'x', { signal: never() })
      await expect.poll(() => taken.length).toBe(1)
      await a.cluster.close()
      expect(await reply).toEqual({ ok: false, why: 'unknown' })
      await expect.poll(() => taken[0]?.aborted).toBe(true)
      await b.cluster.close()
    })
  })
}
