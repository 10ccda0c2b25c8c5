import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Device } from '@holdpoint/schema/device'
import type { Endpoint, ParsedPart } from '@holdpoint/schema/endpoint'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { NodeId } from '@holdpoint/schema/id'
import type { Surface } from '../auth/guard.ts'
import type { Action } from '../auth/policy.ts'
import type { Refusal, Reply } from './errors.ts'

type MaybePromise<Value> = Value | Promise<Value>

export interface Call<Body, Query> {
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly device: Device
  readonly surface: Surface
  /** The origin of a page that calls from here; `undefined` where no page may log in. */
  readonly pageOrigin: string | undefined
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal
}

/** Bytes of a body that has a text of 64 Ki characters in it: escaped, each takes up to six. */
export const TEXT_BODY = 1024 * 1024
/** Bytes of a body that has a person's message or the input of a tool in it. */
export const LARGE_BODY = 8 * 1024 * 1024

/** How the server serves an endpoint. */
export interface Serving<Body = unknown, Query = unknown> {
  readonly action: Action | 'public'
  /** The code for a body that does not fit its schema; `invalid_request` unless said otherwise. */
  readonly invalid?: ErrorCode
  /** Bytes; 64 KiB unless said otherwise. */
  readonly bodyLimit?: number
  /**
   * Replies to one credential are made one after another: what is read for them, and not counted before it is whole, is
   * in memory once (F58).
   */
  readonly inTurn?: true
  /** The machine that alone can serve this call, if it is another one. */
  readonly machine?: (
    call: Pick<Call<Body, Query>, 'params' | 'query' | 'body' | 'device'>,
  ) => MaybePromise<NodeId | undefined>
  /** Says a refusal in the words of another protocol than the native one. */
  readonly words?: (refusal: Refusal) => unknown
  /** Takes this one's place for clients that accept server-sent events. */
  readonly eventStream?: Route
  /** `undefined` when the handler has written the response itself. */
  readonly handle: (call: Call<Body, Query>) => Promise<Reply | undefined> | Reply | undefined
}

/** One address. The table of these is the router, the access policy and the API description at once. */
export type Route = Endpoint & Serving

/** Ties an endpoint's schemas to its handler's types. */
export function route<Contract extends Endpoint>(
  endpoint: Contract,
  serving: Serving<ParsedPart<Contract, 'body'>, ParsedPart<Contract, 'query'>>,
): Route {
  return { ...endpoint, ...serving } as unknown as Route
}

export interface Match {
  readonly route: Route
  readonly params: Record<string, string>
}

/** Finds a route by method and path; says when only the method is wrong. */
export function createRouter(routes: readonly Route[]) {
  const compiled = routes.map((entry) => ({ entry, segments: entry.path.split('/') }))

  return (method: string, path: string, accept?: string): Match | 'no-method' | undefined => {
    const given = path.split('/')
    let known = false
    for (const { entry, segments } of compiled) {
      const params = matchSegments(segments, given)
      if (!params) continue
      if (entry.method === method) return { route: (acceptsEvents(accept) && entry.eventStream) || entry, params }
      known = true
    }
    return known ? 'no-method' : undefined
  }
}

function acceptsEvents(accept = ''): boolean {
  return accept.split(',').some((range) => /^\s*text\/event-stream\s*(;|$)/i.test(range))
}

export function matchSegments(
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const value = given[index] ?? ''
    if (segment.startsWith(':')) {
      if (!/^[A-Za-z0-9_-]{1,256}$/.test(value)) return undefined
      params[segment.slice(1)] = value
    } else if (segment !== value) return undefined
  }
  return params
}
