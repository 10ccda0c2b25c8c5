import type { Notice, NoticeChannel } from '@holdpoint/server/notifications/channel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ReceiverReply } from './stand-in-receiver.ts'

/** A channel whose receiver does what the test wants. Its time limit is short. */
export interface ChannelWorld {
  readonly channel: NoticeChannel
  /** How the receiver treats what is sent from now on; `well` takes it. */
  behave(how: ReceiverReply | 'well'): void
  /** By what the receiver can tell that a notice is one that it has got before: one entry for each that it got. */
  received(): readonly string[]
  /** What nobody may read in a reason or in the log. */
  readonly secrets: readonly string[]
  logged(): string
  /** Nobody listens there any more. */
  killReceiver(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export const NOTICE: Notice = {
  id: 'ntc_01hzzzzzzzzzzzzzzzzzzzzzzz',
  tag: 'ask_01hzzzzzzzzzzzzzzzzzzzzzzz',
  kind: 'ask',
  title: 'Bash in shop',
  body: 'npm run deploy – “now”',
  path: '/asks/ask_01hzzzzzzzzzzzzzzzzzzzzzzz',
  url: 'https://holdpoint.example/asks/ask_01hzzzzzzzzzzzzzzzzzzzzzzz',
  at: 1_800_000_000_000,
  waiting: 1,
  silent: false,
  content: 'text',
  askIds: ['ask_01hzzzzzzzzzzzzzzzzzzzzzzz'],
  replaces: [],
}

/** What holds for every channel, whoever is at its other end. */
export function channelContract(name: string, open: () => Promise<ChannelWorld>): void {
  describe(`the channel ${name}`, () => {
    let world: ChannelWorld
    const never = new AbortController().signal
    const send = (signal = never) => world.channel.send(NOTICE, { signal })

    beforeEach(async () => {
      world = await open()
    })

    afterEach(async () => {
      await world.channel.close?.()
      await world[Symbol.asyncDispose]()
    })

    it('sends a notice once, and says that it was taken', async () => {
      expect(await send()).toEqual({ ok: true })
      expect(world.received()).toHaveLength(1)
    })

    it('sends it again after a failure so that the receiver can tell', async () => {
      world.behave({ status: 503 })
      expect(await send()).toMatchObject({ ok: false, how: 'failed' })
      world.behave('well')
      expect(await send()).toEqual({ ok: true })
      const [first, second, ...more] = world.received()
      expect(second).toBe(first)
      expect(more).toEqual([])
    })

    it.each([
      ['a fault of the receiver', { status: 500 }],
      ['a proxy that does not reach the receiver', { status: 502 }],
      ['a receiver that hangs up', 'cut'],
      ['a receiver that does not reply', 'silent'],
    ] satisfies [string, ReceiverReply][])('fails by %s, and may be tried again', async (_, how) => {
      world.behave(how)
      expect(await send()).toMatchObject({ ok: false, how: 'failed', reason: expect.stringMatching(/\w/) })
    })

    it('fails when nobody listens', async () => {
      await world.killReceiver()
      expect(await send()).toMatchObject({ ok: false, how: 'failed' })
    })

    it('says how long to wait when the receiver wants that', async () => {
      world.behave({ status: 429, headers: { 'retry-after': '7' } })
      expect(await send()).toMatchObject({ ok: false, how: 'failed', retryAfterMs: 7000 })
    })

    it.each([400, 401, 403])('does not try again after %i', async (status) => {
      world.behave({ status, body: '{}' })
      expect(await send()).toMatchObject({ ok: false, how: 'refused' })
    })

    it('T51 follows no redirect', async () => {
      world.behave({ status: 302, headers: { location: '/elsewhere' } })
      expect(await send()).toMatchObject({ ok: false, how: 'refused' })
      expect(world.received()).toHaveLength(1)
    })

    it('ends with a reply that has no end', async () => {
      world.behave('huge')
      expect(await send()).toHaveProperty('ok')
    })

    it('ends as failed when it is called off, before or after it has begun', async () => {
      world.behave('silent')
      const stop = new AbortController()
      const sending = send(stop.signal)
      stop.abort()
      expect(await sending).toMatchObject({ ok: false, how: 'failed' })
      expect(await send(AbortSignal.abort())).toMatchObject({ ok: false, how: 'failed' })
    })

    it('T44 repeats no secret in a reason or in the log, whatever the receiver says', async () => {
      const body = JSON.stringify({ ok: false, description: world.secrets.join(' '), error: world.secrets })
      const told: unknown[] = []
      for (const status of [400, 404, 410, 429, 500]) {
        world.behave({ status, body })
        told.push(await send())
      }
      await world.killReceiver()
      told.push(await send())
      expect(world.secrets.length).toBeGreaterThan(0)
      for (const secret of world.secrets) expect(JSON.stringify(told) + world.logged()).not.toContain(secret)
    })
  })
}
