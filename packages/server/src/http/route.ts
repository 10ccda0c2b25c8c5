import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Device } from '@holdpoint/schema/device'
import type { z } from 'zod'
import type { Surface } from '../auth/guard.ts'
import type { Action } from '../auth/policy.ts'
import type { ErrorCode, Refusal, Reply } from './errors.ts'

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

/** One address. The table of these is the router, the access policy and the API description at once. */
export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments that start with a colon are parameters. */
  readonly path: string
  readonly action: Action | 'public'
  readonly summary: string
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** The code for a body that does not fit its schema; `invalid_request` unless said otherwise. */
  readonly invalid?: ErrorCode
  /** Takes the bytes as they are, with one of these content types, instead of JSON. */
  readonly raw?: readonly string[]
  /** Takes an `Idempotency-Key`: the same call under the same key is done once. */
  readonly idempotent?: true
  /** Bytes; 1 MiB unless said otherwise. */
  readonly bodyLimit?: number
  /** What a success looks like, by status; for the API description. */
  readonly replies: Readonly<Record<number, z.ZodType | string>>
  /** Says a refusal in the words of another protocol than the native one. */
  readonly words?: (refusal: Refusal) => unknown
  /** Takes a ticket in its address: for a browser's EventSource, which sends no header. */
  readonly ticketed?: true
  /** Takes this one's place for clients that accept server-sent events. */
  readonly eventStream?: Route
  /** `undefined` when the handler has written the response itself. */
  readonly handle: (call: Call<Body, Query>) => Promise<Reply | undefined> | Reply | undefined
}

/** Ties a route's schemas to its handler's types. */
export function route<Body = undefined, Query = undefined>(definition: Route<Body, Query>): Route {
  return definition as unknown as Route
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
