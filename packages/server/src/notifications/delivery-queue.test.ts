import { createManualClock } from '@holdpoint/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import type { Notice, SendResult } from './channel.ts'
import { createDeliveryQueue, type Delivered } from './delivery-queue.ts'

const notice = (id: string, tag = id): Notice => ({
  id,
  tag,
  kind: 'ask',
  title: '',
  body: '',
  path: '/',
  url: '/',
  at: 0,
  waiting: 0,
  silent: false,
  content: 'names',
  askIds: [],
  replaces: [],
})

function start(answer: (id: string, attempt: number) => SendResult) {
  const { clock, advance } = createManualClock()
  const sent: string[] = []
  const done: { id: string; result: Delivered }[] = []
  const to = {
    id: 'phone',
    channel: {
      async send({ id }: Notice) {
        sent.push(id)
        return answer(id, sent.filter((other) => other === id).length)
      },
    },
  }
  const receivers = new Map([[to.id, to]])
  const over = new Set<string>()
  const queue = createDeliveryQueue({
    clock,
    asNow(id, given) {
      const receiver = receivers.get(id)
      return receiver && { to: receiver, notice: over.has(given.id) ? undefined : given }
    },
    onDone: (_to, { id }, result) => done.push({ id, result }),
  })
  /** Lets promises that are due be settled. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { queue, receivers, over, sent, done, advance, settle }
}

const FAILED: SendResult = { ok: false, how: 'failed', reason: 'no answer' }

describe('the queue of notices', () => {
  it('F54 tries again after a failure, later each time, and gives up after six attempts', async () => {
    const { queue, sent, done, advance, settle } = start(() => FAILED)
    queue.add('phone', notice('a'))
    await settle()
    for (const wait of [1_000, 5_000, 30_000, 120_000, 600_000]) {
      expect(done).toEqual([])
      advance(wait - 500)
      await settle()
      const before = sent.length
      advance(500)
      await settle()
      expect(sent.length).toBe(before + 1)
    }
    expect(done).toEqual([{ id: 'a', result: { ...FAILED, tries: 6 } }])
    advance(3_600_000)
    await settle()
    expect(sent.length).toBe(6)
  })

  it('waits as long as the other side asks for', async () => {
    const { queue, sent, advance, settle } = start((_id, attempt) =>
      attempt === 1 ? { ...FAILED, retryAfterMs: 20_000 } : { ok: true },
    )
    queue.add('phone', notice('a'))
    await settle()
    advance(19_000)
    await settle()
    expect(sent).toEqual(['a'])
    advance(1_000)
    await settle()
    expect(sent).toEqual(['a', 'a'])
  })

  it.each([
    ['soon after a failure', undefined, 30_000],
    ['when the other side wants it, after one', 900_000, 900_000],
  ])('F54 tries what is new %s, however long the last wait was', async (_, retryAfterMs, wait) => {
    const { queue, sent, advance, settle } = start((id, attempt) => {
      if (id === 'new') return { ok: true }
      return { ...FAILED, ...(attempt === 5 && retryAfterMs !== undefined && { retryAfterMs }) }
    })
    queue.add('phone', notice('a'))
    await settle()
    for (const delay of [1_000, 5_000, 30_000, 120_000]) {
      advance(delay)
      await settle()
    }
    queue.add('phone', notice('new'))
    advance(wait - 1)
    await settle()
    expect(sent.length).toBe(5)
    advance(1)
    await settle()
    expect(sent.slice(5)).toEqual(['a', 'new'])
  })

  it('does not try again what there is nothing to tell of any more, and goes on with the next', async () => {
    const { queue, over, sent, done, advance, settle } = start((id) => (id === 'c' ? { ok: true } : FAILED))
    for (const id of ['a', 'b', 'c']) queue.add('phone', notice(id))
    await settle()
    for (const id of ['a', 'b']) over.add(id)
    advance(1_000)
    await settle()
    expect(sent).toEqual(['a', 'c'])
    expect(done).toEqual([{ id: 'c', result: { ok: true, tries: 1 } }])
  })

  it('does not try again what is refused, and goes on with the next', async () => {
    const { queue, done, settle } = start((id) =>
      id === 'a' ? { ok: false, how: 'refused', reason: 'no' } : { ok: true },
    )
    queue.add('phone', notice('a'))
    queue.add('phone', notice('b'))
    await settle()
    await settle()
    expect(done.map(({ id, result }) => [id, result.ok])).toEqual([
      ['a', false],
      ['b', true],
    ])
  })

  it('sends the later of two notices with one tag, and says nothing of the other', async () => {
    const { queue, sent, done, advance, settle } = start((id) => (id === 'old' ? FAILED : { ok: true }))
    queue.add('phone', notice('old', 'asks'))
    await settle()
    queue.add('phone', notice('new', 'asks'))
    advance(1_000)
    await settle()
    expect(sent).toEqual(['old', 'new'])
    expect(done.map(({ id }) => id)).toEqual(['new'])
  })

  it('sends nothing more to a receiver that is gone, and tries again where it is now', async () => {
    const { queue, receivers, sent, advance, settle } = start(() => FAILED)
    queue.add('phone', notice('a'))
    await settle()
    const moved: string[] = []
    const channel = {
      async send({ id }: Notice) {
        moved.push(id)
        return FAILED
      },
    }
    receivers.set('phone', { id: 'phone', channel })
    advance(1_000)
    await settle()
    receivers.delete('phone')
    advance(3_600_000)
    await settle()
    expect([sent, moved]).toEqual([['a'], ['a']])
  })
})
