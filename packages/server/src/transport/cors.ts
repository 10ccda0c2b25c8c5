import type { IncomingMessage } from 'node:http'
import { admit, type GuardOptions, type RequestFacts } from '../auth/guard.ts'
import type { Reply } from './errors.ts'

const HEADERS = 'authorization, content-type, idempotency-key, last-event-id, x-holdpoint'
const MAX_AGE_S = 600

/** What lets a page of an allowed origin read a reply. Never with what its browser sends by itself. */
export function corsHeaders({ origin }: RequestFacts, { tokenOrigins }: GuardOptions): Record<string, string> {
  if (!tokenOrigins || tokenOrigins.size === 0) return {}
  const isAllowed = origin !== undefined && tokenOrigins.has(origin)
  return { vary: 'origin', ...(isAllowed && { 'access-control-allow-origin': origin }) }
}

/** The answer to a browser that asks whether such a page may call. `undefined`: it asks nothing of the kind. */
export function preflight(request: IncomingMessage, facts: RequestFacts, guard: GuardOptions): Reply | undefined {
  const isAsked = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
  if (!isAsked || facts.origin === undefined || !guard.tokenOrigins?.has(facts.origin)) return undefined
  if (!admit(facts, { action: 'public' }, guard).ok) return undefined
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': HEADERS,
      'access-control-max-age': String(MAX_AGE_S),
    },
  }
}
