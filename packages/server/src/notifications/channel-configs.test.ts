import type { Records } from '@holdpoint/core/store'
import { idMaker } from '@holdpoint/schema/id'
import type { ChannelInput, ChannelTarget } from '@holdpoint/schema/notification'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { NOTICE } from '@holdpoint/testing/channel-contract'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { type ReceivedRequest, startStandInReceiver } from '@holdpoint/testing/stand-in-receiver'
import { startStandInTelegram } from '@holdpoint/testing/stand-in-telegram'
import { until } from '@holdpoint/testing/until'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../system/log.ts'
import { pooledRandomBytes } from '../system/pooled-random.ts'
import { refusal } from '../transport/errors.ts'
import { type ChannelConfigs, createChannelConfigs, MAX_CHANNELS } from './channel-configs.ts'
import { ALWAYS_OUR_TURN } from './chat-turns.ts'
import { createOutbound } from './outbound.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const { clock } = createManualClock()
const newId = idMaker({ now: clock.now, randomBytes: pooledRandomBytes() })

let records: Records
let lines: string[]
let configs: ChannelConfigs
beforeEach(async () => {
  records = createMemoryStore().records
  lines = []
  configs = await load()
})

function load(allowed: readonly string[] = []) {
  return createChannelConfigs({
    records,
    clock,
    log: createLog({ level: 'debug', write: (line) => lines.push(line), now: Date.now }),
    newId,
    outbound: createOutbound({ allowed }),
    answer: async () => refusal('not_found'),
    turns: ALWAYS_OUR_TURN,
  })
}

const webhook = (url = 'https://a.example/hook'): ChannelTarget => ({ type: 'webhook', url })
const ntfy = (token?: string, topic = 'asks'): ChannelTarget => ({
  type: 'ntfy',
  server: 'https://ntfy.example',
  topic,
  ...(token !== undefined && { token }),
})
const bot = (token = BOT_TOKEN, server?: string): ChannelTarget => ({
  type: 'telegram',
  token,
  chatId: '7',
  senders: [],
  ...(server && { server }),
})

function input(target: ChannelTarget, more: Partial<ChannelInput> = {}): ChannelInput {
  return { name: 'Ops', enabled: true, settings: { kinds: ['ask'], content: 'names' }, target, ...more }
}

async function added(target: ChannelTarget) {
  const result = await configs.add(input(target))
  if ('refused' in result) throw new Error(result.refused)
  return result
}

const stored = async () => JSON.stringify(await records.list('notice-channels'))

describe('channels', () => {
  it('are kept over a restart, with their secrets, which are shown to nobody', async () => {
    await added({ ...webhook(), secret: SECRET } as ChannelTarget)
    await added(ntfy('tk_topsecret'))
    await added(bot())
    expect(await stored()).toContain(SECRET)
    const again = await load()
    expect(again.shown()).toEqual(configs.shown())
    expect(again.list().map(({ config }) => config)).toEqual(again.shown())
    const shown = JSON.stringify(again.shown())
    for (const secret of [SECRET, 'tk_topsecret', BOT_TOKEN]) expect(shown).not.toContain(secret)
    expect(shown).toContain('••••')
  })

  it('get a secret for a webhook, which is told once', async () => {
    const { channel, secret } = await added(webhook())
    expect(secret).toMatch(/^whsec_/)
    expect(await stored()).toContain(secret)
    expect(JSON.stringify(channel)).not.toContain(secret)
    expect(await added({ ...webhook(), secret: SECRET } as ChannelTarget)).not.toHaveProperty('secret')
  })

  it('keep a secret that is left out or sent as it was shown, and take a new one', async () => {
    const { channel } = await added({ ...webhook(), secret: SECRET } as ChannelTarget)
    expect(await configs.change(channel.id, input(webhook(), { name: 'New' }))).toMatchObject({
      channel: { name: 'New' },
    })
    expect(await configs.change(channel.id, input(channel.target))).toHaveProperty('channel')
    expect(await stored()).toContain(SECRET)
    const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
    await configs.change(channel.id, input({ ...webhook('https://b.example/'), secret: other } as ChannelTarget))
    expect(await stored()).not.toContain(SECRET)
    expect(await stored()).toContain(other)
  })

  it.each([
    ['a webhook', { ...webhook(), secret: SECRET } as ChannelTarget, webhook('https://evil.example/')],
    ['ntfy', ntfy('tk_topsecret'), { ...ntfy(), server: 'https://evil.example' } as ChannelTarget],
    ['a topic', ntfy('tk_topsecret'), ntfy(undefined, 'another')],
    ['a bot', bot(), bot('••••••••', 'https://evil.example')],
  ])('T51 do not take a kept secret of %s to another place', async (_, before, after) => {
    const { channel } = await added(before)
    expect(await configs.change(channel.id, input(after))).toEqual({ refused: expect.stringContaining('secret again') })
    expect(await stored()).not.toContain('evil')
  })

  it('may lose a token, and go elsewhere without one', async () => {
    const { channel } = await added(ntfy('tk_topsecret'))
    await configs.change(channel.id, input(ntfy('', 'another')))
    expect(await stored()).not.toContain('tk_topsecret')
    expect(await configs.change(channel.id, input(ntfy(undefined, 'third')))).toHaveProperty('channel')
  })

  it.each([
    ['a secret that is none', { ...webhook(), secret: 'password' } as ChannelTarget],
    ['a masked secret', { ...webhook(), secret: '••••••••' } as ChannelTarget],
    ['a token that ends a header', ntfy('a\r\nx-evil: 1')],
    ['a masked token', ntfy('••••••••')],
    ['a token with a path in it', bot('1:aaaaaaaaaaaa/../../evil')],
    ['no token of a bot', bot('')],
  ])('refuse %s', async (_, target) => {
    expect(await configs.add(input(target))).toHaveProperty('refused')
    expect(configs.shown()).toEqual([])
  })

  it('refuse another type, the bot of another channel, and more than there may be', async () => {
    const { channel } = await added(webhook())
    expect(await configs.change(channel.id, input(ntfy()))).toHaveProperty('refused')
    await added(bot())
    expect(await configs.add(input(bot()))).toEqual({ refused: expect.stringContaining('another channel') })
    while (configs.shown().length < MAX_CHANNELS) await added(ntfy())
    expect(await configs.add(input(ntfy()))).toEqual({ refused: expect.stringContaining('50') })
    expect(await configs.remove(channel.id)).toBe(true)
    expect(await configs.remove(channel.id)).toBe(false)
    expect(await configs.change(channel.id, input(webhook()))).toBeUndefined()
    expect(await configs.add(input(ntfy()))).toHaveProperty('channel')
  })

  it('that cannot be read are left out, with a line in the log', async () => {
    const { channel } = await added(ntfy())
    await records.put('notice-channels', 'chn_broken', { id: 'chn_broken', target: { token: 'tk_topsecret' } })
    const weak = { ...channel, id: newId('chn'), target: { ...webhook(), secret: '' } }
    await records.put('notice-channels', weak.id, weak)
    const again = await load()
    expect(again.shown()).toEqual([channel])
    expect(lines.filter((line) => line.includes('channel_not_read'))).toHaveLength(2)
    expect(lines.join('')).not.toContain('tk_topsecret')
  })

  it('list only those that are switched on', async () => {
    const { channel } = await added(ntfy())
    await configs.change(channel.id, input(ntfy(), { enabled: false }))
    expect(configs.list()).toEqual([])
    expect(configs.shown()).toHaveLength(1)
    await configs.change(channel.id, input(ntfy()))
    expect(configs.list()).toHaveLength(1)
    await configs.remove(channel.id)
    expect(configs.shown()).toEqual([])
  })

  it('send by what was stored last', async () => {
    const requests: ReceivedRequest[] = []
    const receiver = await startStandInReceiver((request) => {
      requests.push(request)
      return { status: 200 }
    })
    configs = await load([receiver.place])
    const at = (path: string) => ({ ...webhook(`${receiver.url}${path}`), secret: SECRET }) as ChannelTarget
    const { channel } = await added(at('/one'))
    const send = () => configs.list()[0]?.channel.send(NOTICE, { signal: new AbortController().signal })
    await send()
    await configs.change(channel.id, input(at('/two')))
    await send()
    expect(requests.map(({ path }) => path)).toEqual(['/one', '/two'])
    await receiver.close()
  })

  it('T58 stop reading a chat when they are changed, removed or closed: one reader at a time', async () => {
    const telegram = await startStandInTelegram({ token: BOT_TOKEN, chatId: 7 })
    configs = await load([telegram.place])
    const sender = { userId: '42', deviceId: newId('dev') }
    const target = { ...bot(BOT_TOKEN, telegram.url), senders: [sender] } as ChannelTarget
    const { channel } = await added(target)
    await until(() => telegram.readers() === 1, 'the first reader')
    await configs.change(channel.id, input(target, { name: 'New' }))
    await until(() => telegram.calls.length === 2 && telegram.readers() === 1, 'the second reader alone')
    await configs.remove(channel.id)
    await until(() => telegram.readers() === 0, 'nobody reads what was removed')
    await added(target)
    await until(() => telegram.readers() === 1, 'the third reader')
    await configs.close()
    await until(() => telegram.readers() === 0, 'nobody reads')
    expect(configs.list()).toEqual([])
    await telegram.close()
  })
})
