import { refusedOf } from '@holdpoint/client/calls'
import { connectionCode } from '@holdpoint/client/connection-code'
import { callOf } from '@holdpoint/client/endpoint-call'
import { followEvents } from '@holdpoint/client/follow-events'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import { oneOf } from '@holdpoint/client/one-of'
import { type Call, type Reply, TransportFault } from '@holdpoint/client/transport'
import type { CallInput, EndpointPath, ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { EventSourceMessage } from 'eventsource-parser'
import { WebSocket } from 'ws'
import { impatient } from './impatient.ts'

/** The gateway said no. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly outcome: Outcome | undefined
  readonly issues: readonly string[]
  constructor(status: number, body: unknown) {
    const { code, message, outcome, issues = [] } = refusedOf({ status, body })
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.outcome = outcome
    this.issues = issues
  }
}

/** There is no gateway at the addresses, or it went away in the middle. */
export class UnreachableError extends Error {
  readonly code: string | undefined
  /** As a person reads it: several have commas. */
  readonly url: string
  constructor(url: string, cause: unknown) {
    super(`nothing answers at ${url}`, { cause })
    this.name = 'UnreachableError'
    this.url = url
    this.code = connectionCode(cause)
  }
}

/** The native API. A refusal throws an `ApiError`. */
export interface Api {
  /** Aborting gives up waiting: a `TransportFault` with the code `aborted`. */
  call<At extends EndpointPath>(place: At, given: CallInput<At>, options?: CallOptions): Promise<ReplyOf<At>>
  /** Follows a stream of server-sent events until it ends. Aborting leaves it. */
  follow<At extends EndpointPath>(place: At, given: CallInput<At>, options: FollowedStream): Promise<void>
  /** Opens a WebSocket with the same credential. */
  socket(path: string): Promise<WebSocket>
}

export type CallOptions = Pick<Call, 'signal' | 'idempotencyKey'>

export interface FollowedStream {
  /** The gateway has taken the call. */
  readonly onOpen: () => void
  readonly onEvent: (event: EventSourceMessage) => void
  readonly signal: AbortSignal
}

/** Where the gateway is now, or each of several on one database. Throws when it is nowhere. */
export type Locate = () => Promise<readonly string[]>

/**
 * Looks the gateway up for every call. It may have ended since the last one, and another program that took its port
 * would get the token (T64); or it was started again at another address. Of several it stays with the one that answers.
 */
export function createApi(locate: Locate, token?: string): Api {
  const place = { at: 0 }

  async function reach(wanted: Call, onOpen?: () => void): Promise<Reply> {
    const tried = new Set<string>()
    const wireTo = (baseUrl: string) =>
      impatient(
        createHttpTransport({
          baseUrl,
          ...(token !== undefined && { token }),
          async fetch(input, init) {
            tried.add(baseUrl)
            const response = await fetchFromTerminal(input, init)
            if (response.ok) onOpen?.()
            return response
          },
        }),
      )
    const wire = oneOf((await locate()).map(wireTo), place)
    try {
      const reply = await wire.call(wanted)
      if (reply.status >= 400) throw new ApiError(reply.status, reply.body)
      return reply
    } catch (error) {
      if (error instanceof TransportFault && error.code === 'unreachable')
        throw new UnreachableError([...tried].join(', '), error.cause)
      throw error
    }
  }

  return {
    async call<At extends EndpointPath>(at: At, given: CallInput<At>, options: CallOptions = {}) {
      const { body } = await reach({ ...callOf(at, given), ...options })
      return body as ReplyOf<At>
    },
    async follow(at, given, { onOpen, onEvent, signal }) {
      await followEvents({ call: (wanted) => reach(wanted, onOpen) }, callOf(at, given), { onEvent, signal })
    },
    /** A terminal is at one machine: it is not looked for at another one. */
    async socket(path) {
      const urls = await locate()
      const url = urls[place.at] ?? urls[0] ?? ''
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      return new WebSocket(url.replace(/^http/, 'ws') + path, { headers, handshakeTimeout: 10_000 })
    },
  }
}

/** Never follows a redirect: the credential would go along. */
async function fetchFromTerminal(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), 'x-holdpoint': 'terminal' }
  const response = await fetch(input, { ...init, headers, redirect: 'error' })
  // The page of a proxy has no words for a terminal; its status has.
  const isJson = response.headers.get('content-type')?.includes('json')
  return response.ok || isJson ? response : new Response(null, { status: response.status })
}
