import { refusedOf } from '@holdpoint/client/calls'
import { callOf } from '@holdpoint/client/endpoint-call'
import { followEvents } from '@holdpoint/client/follow-events'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import { type Reply, TransportFault, type Wire } from '@holdpoint/client/transport'
import type { CallInput, EndpointPath, ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { EventSourceMessage } from 'eventsource-parser'
import { WebSocket } from 'ws'

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

/** There is no gateway at the address, or it went away in the middle. */
export class UnreachableError extends Error {
  readonly code: string | undefined
  readonly url: string
  constructor(url: string, cause: unknown) {
    super(`nothing answers at ${url}`, { cause })
    this.name = 'UnreachableError'
    this.url = url
    // What fetch throws says nothing; the reason is one level down, and an address with two families has it in a list.
    const { code, errors } = ((cause as Error).cause ?? cause) as { code?: string; errors?: { code?: string }[] }
    this.code = code ?? errors?.[0]?.code
  }
}

/** The native API. A refusal throws an `ApiError`. */
export interface Api {
  /** Aborting gives up waiting: a `TransportFault` with the code `aborted`. */
  call<At extends EndpointPath>(place: At, given: CallInput<At>, signal?: AbortSignal): Promise<ReplyOf<At>>
  /** Follows a stream of server-sent events until it ends. Aborting leaves it. */
  follow<At extends EndpointPath>(place: At, given: CallInput<At>, options: FollowedStream): Promise<void>
  /** Opens a WebSocket with the same credential. */
  socket(path: string): Promise<WebSocket>
}

export interface FollowedStream {
  /** The gateway has taken the call. */
  readonly onOpen: () => void
  readonly onEvent: (event: EventSourceMessage) => void
  readonly signal: AbortSignal
}

/** Where the gateway is now. Throws when it is nowhere. */
export type Locate = () => Promise<string>

/**
 * Looks the gateway up for every call. It may have ended since the last one, and another program that took its port
 * would get the token (T64); or it was started again at another address.
 */
export function createApi(locate: Locate, token?: string): Api {
  async function reach(act: (wire: Wire) => Promise<Reply>, onOpen?: () => void): Promise<Reply> {
    const baseUrl = await locate()
    const wire = createHttpTransport({
      baseUrl,
      ...(token !== undefined && { token }),
      async fetch(input, init) {
        const response = await fetchFromTerminal(input, init)
        if (response.ok) onOpen?.()
        return response
      },
    })
    try {
      const reply = await act(wire)
      if (reply.status >= 400) throw new ApiError(reply.status, reply.body)
      return reply
    } catch (error) {
      if (error instanceof TransportFault && error.code === 'unreachable')
        throw new UnreachableError(baseUrl, error.cause)
      throw error
    }
  }

  return {
    async call<At extends EndpointPath>(place: At, given: CallInput<At>, signal?: AbortSignal) {
      const { body } = await reach((wire) => wire.call({ ...callOf(place, given), ...(signal && { signal }) }))
      return body as ReplyOf<At>
    },
    async follow(place, given, { onOpen, onEvent, signal }) {
      await reach((wire) => followEvents(wire, callOf(place, given), { onEvent, signal }), onOpen)
    },
    async socket(path) {
      const url = await locate()
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
