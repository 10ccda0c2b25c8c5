import type { Clock } from '@holdpoint/core/clock'
import type { ChannelId, DeviceId } from '@holdpoint/schema/id'
import { Outcome } from '@holdpoint/schema/outcome'
import { z } from 'zod'
import type { Log } from '../system/log.ts'
import { isRefusal, type Reply } from '../transport/errors.ts'
import type { AnswerNotice } from './channel.ts'
import type { ChatTurns } from './chat-turns.ts'
import type { TelegramBot } from './telegram-bot.ts'

/** How long Telegram holds a question for news, and how much longer its reply may take. */
const HOLD_S = 50
const HOLD_LIMIT_MS = 65_000
/** Each brings its whole message with it, and a reply is read up to 64 KB. */
const MAX_UPDATES = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** Telegram shows no more. */
const LONGEST_WORDS = 200

/** Others than presses are among them: what came before we said that we want none. */
const Updates = z.array(z.object({ update_id: z.int(), callback_query: z.unknown().optional() }))

/** A press of a button. */
const Press = z.object({
  id: z.string(),
  from: z.object({ id: z.int() }),
  message: z.object({ chat: z.object({ id: z.int() }) }).optional(),
  data: z.string().max(64).optional(),
})
type Press = z.infer<typeof Press>

export interface TelegramChat {
  /** The channel that it belongs to: tokens of buttons are bound to it. */
  readonly id: ChannelId
  readonly chatId: string
  readonly senders: readonly { readonly userId: string; readonly deviceId: DeviceId }[]
}

/**
 * Reads presses of buttons in a chat, until `signal` aborts, while it is this gateway's turn. Only who is mapped to a device may answer, only in this chat, and
 * only by the token of a button: the token says what for (T58). Each press is handled once and told what came of it.
 */
export async function readTelegramAnswers(deps: {
  readonly chat: TelegramChat
  readonly bot: TelegramBot
  /** Of the bot. */
  readonly token: string
  readonly answer: AnswerNotice
  readonly turns: ChatTurns
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  readonly signal: AbortSignal
}): Promise<void> {
  const { chat, bot, turns, log, signal } = deps
  let next = 0
  let pauseMs = 0

  async function wordsFor(press: Press): Promise<string> {
    const sender = chat.senders.find(({ userId }) => userId === String(press.from.id))
    if (!sender || String(press.message?.chat.id) !== chat.chatId || press.data === undefined) {
      log.warn('channel_sender_refused', { channel: chat.id, user: String(press.from.id) })
      return sender
        ? 'Buttons count only in the chat of the channel.'
        : `You are not known here. Nothing was answered. Your Telegram user id is ${press.from.id}.`
    }
    try {
      return wordsOf(await deps.answer({ token: press.data, to: chat.id, by: sender.deviceId, via: 'telegram' }))
    } catch (error) {
      log.error('channel_answer_failed', { channel: chat.id, error: String(error) })
      return 'This could not be recorded. Open Holdpoint to see whether it was answered.'
    }
  }

  async function handle(press: Press): Promise<void> {
    const text = (await wordsFor(press)).slice(0, LONGEST_WORDS)
    await bot.call('answerCallbackQuery', { callback_query_id: press.id, text, show_alert: true }, { signal })
  }

  /** Says why it cannot be known whether this press is to be handled here; nothing was done then. */
  async function handleOnce(update: number, press: Press): Promise<string | undefined> {
    try {
      if (!(await turns.take({ id: chat.id, token: deps.token }, update))) return undefined
    } catch (error) {
      return String(error)
    }
    await handle(press)
    return undefined
  }

  async function waitLonger(reason: string, askedMs = 0) {
    if (pauseMs === 0) log.warn('channel_answers_not_read', { channel: chat.id, reason })
    pauseMs = Math.min(Math.max(pauseMs * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    await pause(deps.clock, Math.max(pauseMs, askedMs), signal)
  }

  while (!signal.aborted) {
    await turns.wait(signal)
    if (signal.aborted) return
    const turn = turns.current()
    const question = { offset: next, timeout: HOLD_S, limit: MAX_UPDATES, allowed_updates: ['callback_query'] }
    const over = AbortSignal.any([signal, turn])
    const reply = await bot.call('getUpdates', question, { signal: over, timeLimitMs: HOLD_LIMIT_MS })
    if (signal.aborted) return
    if (turn.aborted) continue
    const updates = reply.ok ? Updates.safeParse(reply.result).data : undefined
    if (!updates) {
      const asked = !reply.ok && reply.how === 'failed' ? reply.retryAfterMs : undefined
      await waitLonger(reply.ok ? 'the reply cannot be read' : reply.reason, asked)
      continue
    }
    let trouble: string | undefined
    for (const update of updates) {
      // What came before is confirmed by the next question: it is not handled again, whatever the server sends.
      if (update.update_id < next) continue
      const press = Press.safeParse(update.callback_query).data
      trouble = press && (await handleOnce(update.update_id, press))
      if (trouble !== undefined) break
      next = update.update_id + 1
    }
    if (trouble !== undefined) await waitLonger(trouble)
    else pauseMs = 0
  }
}

function wordsOf(reply: Reply): string {
  if (isRefusal(reply)) return reply.body.error.message
  const outcome = Outcome.safeParse((reply.body as { outcome?: unknown } | undefined)?.outcome).data
  if (outcome?.kind === 'allowed') return 'Allowed.'
  return outcome?.kind === 'denied' ? 'Denied.' : 'Answered.'
}

function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, settle)
    signal.addEventListener('abort', settle, { once: true })
    function settle() {
      cancel()
      signal.removeEventListener('abort', settle)
      resolve()
    }
  })
}
