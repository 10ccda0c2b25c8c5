import { createHash } from 'node:crypto'
import type { Clock } from '@holdpoint/core/clock'
import type { Records } from '@holdpoint/core/store'
import type { ChannelId } from '@holdpoint/schema/id'
import { z } from 'zod'
import type { NoticeDuty } from './notice-duty.ts'

const COLLECTION = 'chats-read'
/** Telegram keeps no update for longer, and may count from another number after a week without any. */
const KEPT_MS = 24 * 60 * 60 * 1000

const ReadSoFar = z.object({ bot: z.string(), next: z.int(), at: z.int() })

/** Whose turn it is to read a chat, where several gateways could: a bot has one reader at a time. */
export interface ChatTurns {
  /** Resolves when it is this gateway's, or at the end of `signal`. */
  wait(signal: AbortSignal): Promise<void>
  /** Aborts when it is not this gateway's any more. */
  current(): AbortSignal
  /** Whether this update is to be handled here: each one is once, whoever read it. Throws where that cannot be known. */
  take(chat: ReadChat, update: number): Promise<boolean>
}

interface ReadChat {
  readonly id: ChannelId
  readonly token: string
}

const NEVER = new AbortController().signal

/** Where there is one gateway. */
export const ALWAYS_OUR_TURN: ChatTurns = { wait: async () => {}, current: () => NEVER, take: async () => true }

export function createChatTurns(deps: {
  readonly duty: Pick<NoticeDuty, 'isFirst' | 'onChanged'>
  readonly records: Pick<Records, 'get' | 'put'>
  readonly clock: Pick<Clock, 'now'>
}): ChatTurns {
  const { duty, records, clock } = deps
  const waiting = new Set<() => void>()
  let turn = new AbortController()

  duty.onChanged(() => {
    if (!duty.isFirst()) return turn.abort()
    if (turn.signal.aborted) turn = new AbortController()
    for (const begin of [...waiting]) begin()
  })

  return {
    wait: (signal) =>
      new Promise((resolve) => {
        if (duty.isFirst() || signal.aborted) return resolve()
        const begin = () => {
          waiting.delete(begin)
          signal.removeEventListener('abort', begin)
          resolve()
        }
        waiting.add(begin)
        signal.addEventListener('abort', begin, { once: true })
      }),
    current: () => turn.signal,
    async take({ id, token }, update) {
      const bot = createHash('sha256').update(token).digest('hex').slice(0, 16)
      const known = ReadSoFar.safeParse(await records.get(COLLECTION, id)).data
      const at = clock.now()
      const isKnown = known !== undefined && known.bot === bot && at - known.at < KEPT_MS
      if ((isKnown && update < known.next) || !duty.isFirst()) return false
      // Before it is handled: what is lost in between is pressed again, what is handled twice is told twice.
      await records.put(COLLECTION, id, { bot, next: update + 1, at })
      return true
    },
  }
}
