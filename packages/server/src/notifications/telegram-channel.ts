import type { Clock } from '@holdpoint/core/clock'
import { z } from 'zod'
import type { Log } from '../system/log.ts'
import type { AnswerNotice, Notice, NoticeChannel, SendResult } from './channel.ts'
import type { ChatTurns } from './chat-turns.ts'
import type { Outbound } from './outbound.ts'
import { readTelegramAnswers, type TelegramChat } from './telegram-answers.ts'
import { type BotReply, createTelegramBot } from './telegram-bot.ts'

/** Telegram takes no more in one message. */
const LONGEST_TEXT = 4096
/** Messages that can be changed by a later notice. The oldest are forgotten. */
const MAX_MESSAGES = 1000

const Sent = z.object({ message_id: z.int() })

/**
 * A chat with a bot. A notice is a message with buttons; a silent one with the same tag changes that message in place. Buttons
 * that answer are there only if somebody in the chat may answer. Telegram has no key for retries: a message whose reply was
 * lost comes twice, and either of its buttons counts once.
 */
export function createTelegramChannel(deps: {
  readonly chat: TelegramChat
  readonly token: string
  readonly server?: string
  readonly outbound: Outbound
  readonly answer: AnswerNotice
  readonly turns: ChatTurns
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
}): NoticeChannel {
  const { chat } = deps
  const bot = createTelegramBot(deps)
  const messages = new Map<string, number>()
  const closing = new AbortController()
  const canAnswer = chat.senders.length > 0
  const reading = canAnswer ? readTelegramAnswers({ ...deps, bot, signal: closing.signal }) : Promise.resolve()

  function remember(tag: string, messageId: number) {
    messages.delete(tag)
    messages.set(tag, messageId)
    const [oldest] = messages.keys()
    if (messages.size > MAX_MESSAGES && oldest !== undefined) messages.delete(oldest)
  }

  /** Says whether the message now is what the notice says. One that was deleted in the chat cannot be changed. */
  async function edit(messageId: number, notice: Notice, signal: AbortSignal): Promise<BotReply> {
    const reply = await bot.call(
      'editMessageText',
      { chat_id: chat.chatId, message_id: messageId, ...messageOf(notice, canAnswer) },
      { signal },
    )
    const isSame = !reply.ok && reply.description?.includes('message is not modified') === true
    return isSame ? { ok: true, result: undefined } : reply
  }

  async function removeReplaced(tags: readonly string[], signal: AbortSignal) {
    const ids = tags.flatMap((tag) => messages.get(tag) ?? []).slice(0, 100)
    for (const tag of tags) messages.delete(tag)
    // What cannot be removed stays: its buttons answer nothing that is settled.
    if (ids.length > 0) await bot.call('deleteMessages', { chat_id: chat.chatId, message_ids: ids }, { signal })
  }

  return {
    async send(notice, { signal }): Promise<SendResult> {
      const earlier = messages.get(notice.tag)
      if (earlier !== undefined && notice.silent) {
        const edited = await edit(earlier, notice, signal)
        if (edited.ok) await removeReplaced(notice.replaces, signal)
        if (edited.ok || edited.how === 'failed') return resultOf(edited)
      }
      const parameters = {
        chat_id: chat.chatId,
        ...messageOf(notice, canAnswer),
        disable_notification: notice.silent,
      }
      const reply = await bot.call('sendMessage', parameters, { signal })
      const sent = reply.ok ? Sent.safeParse(reply.result).data : undefined
      if (!sent) return resultOf(reply)
      // A message that rings is a new one: the one before it goes.
      await removeReplaced([notice.tag, ...notice.replaces], signal)
      remember(notice.tag, sent.message_id)
      return { ok: true }
    },
    async close() {
      closing.abort()
      await reading
    },
  }
}

function resultOf(reply: BotReply): SendResult {
  if (reply.ok) return { ok: true }
  const { how, reason } = reply
  if (how !== 'failed') return { ok: false, how, reason }
  return { ok: false, how, reason, ...(reply.retryAfterMs !== undefined && { retryAfterMs: reply.retryAfterMs }) }
}

/** Plain text, without marks that Telegram would read. Only an address with HTTPS makes a button; others are refused there. */
function messageOf({ title, body, url, deny, allow }: Notice, canAnswer: boolean) {
  const hasButton = url.startsWith('https://')
  const text = [title, body, hasButton ? '' : url].filter((line) => line !== '').join('\n')
  // What is not shown whole cannot be allowed from here (T58).
  const isWhole = text.length <= LONGEST_TEXT
  const buttons = [
    ...(hasButton ? [{ text: 'Open', url }] : []),
    ...(canAnswer && deny !== undefined ? [{ text: 'Deny', callback_data: deny }] : []),
    ...(canAnswer && allow !== undefined && isWhole ? [{ text: 'Allow', callback_data: allow }] : []),
  ]
  return {
    text: isWhole ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`,
    link_preview_options: { is_disabled: true },
    reply_markup: { inline_keyboard: buttons.length > 0 ? [buttons] : [] },
  }
}
