import { maskSecrets } from '@holdpoint/core/text/secrets'
import { z } from 'zod'
import type { SendResult } from './channel.ts'
import type { Outbound } from './outbound.ts'

const SERVER = 'https://api.telegram.org'
const LONGEST_DESCRIPTION = 200

/** Digits, a colon, and characters that mean nothing in a path. */
export const TELEGRAM_TOKEN = /^\d{1,20}:[\w-]{10,100}$/

const Reply = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    description: z.string().optional(),
    parameters: z.object({ retry_after: z.number().min(0).max(3600).optional() }).optional(),
  }),
])

type BotFailure = Extract<SendResult, { ok: false }> & { readonly description?: string }
export type BotReply = { readonly ok: true; readonly result: unknown } | BotFailure

export interface TelegramBot {
  call(
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly timeLimitMs?: number },
  ): Promise<BotReply>
}

/** Calls of Telegram's Bot API (https://core.telegram.org/bots/api). The token is a part of each address. */
export function createTelegramBot(deps: {
  readonly token: string
  readonly server?: string
  readonly outbound: Outbound
}): TelegramBot {
  const base = `${(deps.server ?? SERVER).replace(/\/+$/, '')}/bot${deps.token}`

  return {
    async call(method, parameters, options) {
      const reply = await deps.outbound.post({
        url: `${base}/${method}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
        ...options,
      })
      if (!reply.ok) return reply
      const read = Reply.safeParse(json(reply.body))
      if (read.data?.ok && reply.status === 200) return { ok: true, result: read.data.result }
      const error = read.data?.ok === false ? read.data : undefined
      const description = error?.description && withoutSecrets(error.description, deps.token)
      const reason = `Telegram replied with status ${reply.status}${description ? `: ${description}` : ''}`
      const { status } = reply
      if (status !== 429 && status >= 300 && status < 500) {
        return { ok: false, how: 'refused', reason, ...(description && { description }) }
      }
      const retryAfter = error?.parameters?.retry_after
      const retryAfterMs = retryAfter === undefined ? reply.retryAfterMs : retryAfter * 1000
      return { ok: false, how: 'failed', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    },
  }
}

/** Telegram says in it what is wrong with a set-up; another server could repeat the token in it (T44). */
function withoutSecrets(description: string, token: string): string {
  return maskSecrets(description.replaceAll(token, '…').slice(0, LONGEST_DESCRIPTION))
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
