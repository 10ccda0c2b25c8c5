import type { SessionId } from '@holdpoint/schema/id'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import type { Services } from '../../services/services.ts'
import { type Follower, followSessions } from '../../stream/follow-sessions.ts'
import type { SocketRoute } from '../../transport/socket-route.ts'
import { createSocketServer, type Peer } from '../../transport/socket-server.ts'

/** Clients send a whole tool input back with their answer. */
const FRAME_LIMIT = 8 * 1024 * 1024

/** What a dialect makes of one client. */
export interface DialectConnection {
  /** The one session it is about; left out, all that its credential sees. */
  readonly sessionId?: SessionId
  readonly follower: Follower
  /**
   * One JSON value that the client sent. Answers it, and says whether it made sense. One of a type that is not known does:
   * clients have heartbeats and more of their own.
   */
  onFrame(value: unknown): boolean
  /** What the sender of something that is not JSON is told. */
  malformed(reason: string): object
  onClose?(): void
}

export type DialectSocketDeps = Pick<
  Services,
  'ledger' | 'store' | 'fanOut' | 'partialTexts' | 'askNotices' | 'log' | 'devices' | 'unread'
>

/** A WebSocket address of a dialect: what happens goes out through the follower, what comes in goes to `onFrame`. */
export function dialectSocket(
  services: DialectSocketDeps,
  options: Pick<SocketRoute, 'path' | 'exists'> & { readonly connect: (peer: Peer) => DialectConnection },
): SocketRoute {
  const { connect, ...place } = options
  const server = createSocketServer(services, {
    frameLimit: FRAME_LIMIT,
    serve(peer) {
      const over = new AbortController()
      const connection = connect(peer)
      const { started, drained } = followSessions(services, {
        device: peer.device,
        ...(connection.sessionId && { sessionId: connection.sessionId }),
        channel: peer,
        follower: connection.follower,
        signal: over.signal,
      })
      started.catch((error: unknown) => {
        services.log.error('dialect_failed', { error: String(error) })
        peer.close(1011, 'internal error')
      })
      return {
        onMessage(text) {
          const parsed = text === undefined ? NOT_TEXT : parseStrictJson(text)
          if (parsed.ok) return connection.onFrame(parsed.value)
          peer.send(connection.malformed(parsed.refusal.reason))
          return false
        },
        onDrain: drained,
        onClose() {
          over.abort()
          connection.onClose?.()
        },
      }
    },
  })
  return { ...place, action: 'read-events', server }
}

const NOT_TEXT = { ok: false, refusal: { reason: 'binary' } } as const
