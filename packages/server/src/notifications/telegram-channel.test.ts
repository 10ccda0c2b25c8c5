import type { ChannelId, DeviceId } from '@holdpoint/schema/id'
import { channelContract, NOTICE } from '@holdpoint/testing/channel-contract'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startStandInTelegram } from '@holdpoint/testing/stand-in-telegram'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it, vi } from 'vitest'
import { createLog } from '../system/log.ts'
import { refusal } from '../transport/errors.ts'
import type { AnswerNotice } from './channel.ts'
import { ALWAYS_OUR_TURN } from './chat-turns.ts'
import { createOutbound } from './outbound.ts'
import { createTelegramChannel } from './telegram-channel.ts'

const TOKEN = '110201543:words-that-look-like-no-secret'
const CHANNEL: ChannelId = 'chn_01hzzzzzzzzzzzzzzzzzzzzzzz'
const DEVICE: DeviceId = 'dev_01hzzzzzzzzzzzzzzzzzzzzzzz'
const CHAT = -1001234567
const KNOWN = 42
const BUTTONS = { deny: 'deny-token', allow: 'allow-token' }
const signal = new AbortController().signal

type Answer = Parameters<AnswerNotice>[0]

const outcome = (kind: string) => ({ status: 200, body: { outcome: { kind, at: 1, via: 'telegram' } } })

async function openTelegram(options: { senders?: number[]; answer?: AnswerNotice; token?: string } = {}) {
  const telegram = await startStandInTelegram({ token: TOKEN, chatId: CHAT })
  const answers: Answer[] = []
  const lines: string[] = []
  const manual = createManualClock()
  const decide = options.answer ?? (async ({ token }) => outcome(token === BUTTONS.allow ? 'allowed' : 'denied'))
  const channel = createTelegramChannel({
    chat: {
      id: CHANNEL,
      chatId: String(CHAT),
      senders: (options.senders ?? [KNOWN]).map((userId) => ({ userId: String(userId), deviceId: DEVICE })),
    },
    token: options.token ?? TOKEN,
    server: telegram.url,
    outbound: createOutbound({ allowed: [telegram.place], timeLimitMs: 200 }),
    answer: (answer) => {
      answers.push(answer)
      return decide(answer)
    },
    turns: ALWAYS_OUR_TURN,
    clock: manual.clock,
    log: createLog({ level: 'debug', write: (line) => lines.push(line), now: Date.now }),
  })
  return {
    ...telegram,
    channel,
    answers,
    lines,
    manual,
    async sent(notice = {}) {
      expect(await channel.send({ ...NOTICE, ...BUTTONS, ...notice }, { signal })).toEqual({ ok: true })
      const message = telegram.messages().at(-1)
      if (!message) throw new Error('no message')
      return message
    },
    received: () => telegram.texts,
    secrets: [TOKEN],
    logged: () => lines.join(''),
    killReceiver: telegram.close,
    async [Symbol.asyncDispose]() {
      await channel.close?.()
      await telegram.close()
    },
  }
}

channelContract('telegram', openTelegram)

describe('a message in a chat', () => {
  it('has the text and the buttons of the notice', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    expect(message.text).toBe('Bash in shop\nnpm run deploy – “now”')
    expect(message.isSilent).toBe(false)
    expect(message.buttons).toEqual([
      { text: 'Open', url: NOTICE.url },
      { text: 'Deny', callback_data: 'deny-token' },
      { text: 'Allow', callback_data: 'allow-token' },
    ])
  })

  it('has an address that others cannot open as text, for Telegram takes no such button', async () => {
    await using world = await openTelegram()
    const message = await world.sent({ url: 'http://127.0.0.1:4680/asks/1', deny: undefined, allow: undefined })
    expect(message.text).toContain('\nhttp://127.0.0.1:4680/asks/1')
    expect(message.buttons).toEqual([])
  })

  it('T58 has no Allow unless the notice brings one, and none where not all is shown', async () => {
    await using world = await openTelegram()
    const names = (message: { buttons: readonly { text: string }[] }) => message.buttons.map(({ text }) => text)
    expect(names(await world.sent({ allow: undefined }))).toEqual(['Open', 'Deny'])
    const long = await world.sent({ body: 'x'.repeat(5000) })
    expect(long.text).toHaveLength(4096)
    expect(names(long)).toEqual(['Open', 'Deny'])
  })

  it('T58 has no button that answers where nobody may answer, and the chat is not read', async () => {
    await using world = await openTelegram({ senders: [] })
    const message = await world.sent()
    expect(message.buttons).toEqual([{ text: 'Open', url: NOTICE.url }])
    expect(world.calls).toEqual(['sendMessage'])
  })

  it('is changed in place by a silent notice with the same tag', async () => {
    await using world = await openTelegram()
    const { id } = await world.sent()
    const answered = { body: 'Answered by Ana', silent: true, deny: undefined, allow: undefined }
    await world.sent(answered)
    await world.sent(answered)
    expect(world.messages()).toMatchObject([{ id, text: 'Bash in shop\nAnswered by Ana', buttons: [{ text: 'Open' }] }])
  })

  it('is sent anew, without a sound, when the one before was deleted in the chat', async () => {
    await using world = await openTelegram()
    const { id } = await world.sent()
    world.forget(id)
    await world.sent({ body: 'Answered', silent: true })
    expect(world.messages()).toMatchObject([{ text: 'Bash in shop\nAnswered', isSilent: true }])
  })

  it('takes the place of those that its notice replaces', async () => {
    await using world = await openTelegram()
    await world.sent({ tag: 'a' })
    await world.sent({ tag: 'b' })
    await world.sent({ tag: 'asks', title: '2 asks', replaces: ['a', 'b', 'never sent'] })
    expect(world.messages()).toMatchObject([{ text: expect.stringContaining('2 asks') }])
    // One that rings again is a new message.
    await world.sent({ tag: 'asks', title: '3 asks' })
    expect(world.messages()).toMatchObject([{ text: expect.stringContaining('3 asks') }])
  })
})

describe('a button in a chat', () => {
  it('T58 answers for the device of whoever pressed it, with the token of that button, once', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    expect(await world.press(message, 'Deny', { userId: KNOWN })).toBe('Denied.')
    expect(await world.press(message, 'Allow', { userId: KNOWN })).toBe('Allowed.')
    const same = { to: CHANNEL, by: DEVICE, via: 'telegram' }
    expect(world.answers).toEqual([
      { token: 'deny-token', ...same },
      { token: 'allow-token', ...same },
    ])
  })

  it('T58 does nothing for a sender that nobody mapped to a device, who is told so', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    const told = await world.press(message, 'Allow', { userId: 666 })
    expect(told).toContain('You are not known here')
    expect(told).toContain('666')
    expect(world.answers).toEqual([])
    expect(world.logged()).toContain('channel_sender_refused')
  })

  it('T58 does nothing in another chat, without data, and with more data than a button has', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    expect(await world.press(message, 'Allow', { userId: KNOWN, chatId: 99 })).toContain('only in the chat')
    expect(await world.press(message, 'no such button', { userId: KNOWN })).toContain('only in the chat')
    void world.press(message, 'Allow', { userId: KNOWN, data: 'x'.repeat(65) })
    // Handled in order: when this one is told, the one before it was passed over.
    await world.press(message, 'Deny', { userId: KNOWN })
    expect(world.answers).toMatchObject([{ token: 'deny-token' }])
  })

  it('T58 does nothing a second time when Telegram sends the press again', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    const update = {
      update_id: world.nextUpdateId(),
      callback_query: {
        id: 'again',
        from: { id: KNOWN },
        message: { chat: { id: CHAT } },
        data: 'allow-token',
      },
    }
    world.push(update)
    await until(() => world.answers.length === 1, 'the answer')
    world.replay(update)
    await world.press(message, 'Deny', { userId: KNOWN })
    expect(world.answers.map(({ token }) => token)).toEqual(['allow-token', 'deny-token'])
  })

  it('passes over what is no press, such as a message from before it was set up', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    world.push({ update_id: world.nextUpdateId(), message: { chat: { id: CHAT }, text: 'hello' } })
    expect(await world.press(message, 'Deny', { userId: KNOWN })).toBe('Denied.')
  })

  it('T58 tells why it does not count: the answer is the gateway’s', async () => {
    await using world = await openTelegram({ answer: async () => refusal('already_settled') })
    const message = await world.sent()
    expect(await world.press(message, 'Allow', { userId: KNOWN })).toContain('already has an outcome')
  })

  it('says so when the answer cannot be recorded, and goes on reading', async () => {
    const answer = vi.fn<AnswerNotice>().mockRejectedValueOnce(new Error('disk full'))
    answer.mockResolvedValue(outcome('denied'))
    await using world = await openTelegram({ answer })
    const message = await world.sent()
    expect(await world.press(message, 'Deny', { userId: KNOWN })).toContain('could not be recorded')
    expect(await world.press(message, 'Deny', { userId: KNOWN })).toBe('Denied.')
  })

  it('is read again after a pause when Telegram cannot be reached, and logged once', async () => {
    await using world = await openTelegram({ token: '110201543:another-token-of-a-bot' })
    await until(() => world.logged().includes('channel_answers_not_read'), 'the line in the log')
    const before = world.lines.length
    world.manual.advance(5_000)
    await until(() => world.refused() > 1, 'a second attempt')
    expect(world.lines).toHaveLength(before)
    expect(world.logged()).toContain('Unauthorized')
    expect(world.logged()).not.toContain('another-token-of-a-bot')
  })

  it('is not read any more once the channel is closed', async () => {
    await using world = await openTelegram()
    const message = await world.sent()
    await until(() => world.calls.includes('getUpdates'), 'the first question')
    await world.channel.close?.()
    void world.press(message, 'Allow', { userId: KNOWN })
    await world.channel.send(NOTICE, { signal })
    expect(world.answers).toEqual([])
  })
})
