import type { SendMessage } from '@holdpoint/schema/session'
import type { z } from 'zod'
import type { Route } from '../../transport/route.ts'
import type { SocketRoute } from '../../transport/socket-route.ts'

/**
 * Another protocol in front of the same broker: a pure mapping of its messages, and thin edges. It decides nothing and
 * remembers nothing; what it shows is folded from the log, and what it is told goes through `answerAsk`.
 */
export interface Dialect {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
  readonly messages?: MessageDialect
}

/** A dialect's words at the native address for messages. */
export interface MessageDialect {
  /** What a message may look like; the native form included. */
  readonly body: z.ZodType<SendMessage>
  /** What those get who accept server-sent events. */
  readonly stream: Route
}

export const DIALECTS = ['process-state', 'ask-user', 'permission', 'turn-stream'] as const
export type DialectName = (typeof DIALECTS)[number]
