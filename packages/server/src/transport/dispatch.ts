import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { LedgerClosed } from '@holdpoint/core/ledger-error'
import { RecordDamaged, StoreFault } from '@holdpoint/core/store'
import { createTurns } from '@holdpoint/core/turns'
import type { Device } from '@holdpoint/schema/device'
import type { ErrorCode } from '@holdpoint/schema/error-code'
import type { DeviceId } from '@holdpoint/schema/id'
import { z } from 'zod'
import type { Devices } from '../auth/devices.ts'
import { type Admission, admit, type GuardOptions, type RequestFacts } from '../auth/guard.ts'
import { isLasting } from '../auth/policy.ts'
import type { Machines } from '../cluster/machines.ts'
import type { Log } from '../system/log.ts'
import { isRefusal, type Refusal, type Reply, readRefusal, refusal, storeRefusal } from './errors.ts'
import { handOn } from './hand-on.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { issuesOf } from './issues.ts'
import { type BodyResult, parseJsonBytes } from './read-body.ts'
import { SMALL_BODY } from './received.ts'
import { createRouter, type Match, type Route } from './route.ts'

/** Of those without a credential, who are as many as connect. */
const PUBLIC_BODY_LIMIT = 4096
/** The parameter of an address that has a ticket in it. */
export const TICKET = 'ticket'

/** For routes that take no body: nothing, or an object with nothing in it. */
const NO_BODY = z.strictObject({})

/** A call, whatever carried it. */
export interface Incoming {
  readonly facts: RequestFacts
  readonly method: string
  readonly url: URL | undefined
  /** Reads the body of this caller, or refuses one that is longer than so many bytes. */
  readonly bytes: (limit: number, caller: DeviceId | undefined) => Promise<BodyResult<Buffer>>
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal
  /** What becomes of a reply to this caller, where not every reply can be sent. */
  readonly sendable?: (reply: Reply, caller: DeviceId | undefined) => Reply
}

/** The way of every call: guard, route, validation, handler. `undefined` when the handler has written the response. */
export function createDispatch(options: {
  readonly devices: Devices
  readonly log: Log
  readonly routes: readonly Route[]
  readonly guard: GuardOptions
  /** For calls that only another machine can serve. Left out: each is served here. */
  readonly machines?: Machines
}) {
  const find = createRouter(options.routes)
  const inTurn = createTurns<DeviceId>()

  async function handle(
    incoming: Incoming,
    url: URL,
    { route, params }: Match,
    admission: Extract<Admission, { ok: true }>,
  ): Promise<Reply | undefined> {
    const query = parseQuery(route, url)
    if (!query.ok) return query.reply
    const body = await parseBody(route, (limit) => incoming.bytes(limit, admission.device?.id))
    if (!body.ok) return body.reply

    const makeReply = async (): Promise<Reply | undefined> => {
      // That took time: all that may have changed is read again before anything is done with the body (I8, T64).
      const { action } = route
      if (admission.device && action !== 'public' && incoming.method !== 'GET' && isLasting(action))
        await options.devices.refresh(admission.device.id)
      if (options.guard.closing.aborted) return refusal('closing')
      const device = admission.device && options.devices.current(admission.device.id)
      if (admission.device && !device) return refusal('unauthorized')
      const { request, response, signal } = incoming
      // Calls that wait for their turn only read, and nobody is left for the reply.
      if (route.inTurn && signal.aborted) return undefined
      const called = { params, query: query.value, body: body.value, device: device as Device }
      const to = options.machines && (await route.machine?.(called))
      if (to !== undefined && options.machines && device) {
        const idempotencyKey = idempotencyKeyOf(request)
        const call = {
          device: device.id,
          surface: admission.surface,
          method: incoming.method,
          path: url.pathname + url.search,
          ...(body.value !== undefined && { body: body.value }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        }
        return handOn(options.machines, to, call, signal)
      }
      const reply = await route.handle({
        ...called,
        surface: admission.surface,
        pageOrigin: admission.pageOrigin,
        request,
        response,
        signal,
      })
      return reply && (incoming.sendable?.(reply, device?.id) ?? reply)
    }
    return route.inTurn && admission.device ? inTurn(admission.device.id, makeReply) : makeReply()
  }

  return async (incoming: Incoming): Promise<Reply | undefined> => {
    const { url } = incoming
    const match = url ? find(incoming.method, url.pathname, incoming.request.headers.accept) : undefined
    const words = typeof match === 'object' ? match.route.words : undefined
    try {
      const reply = await answer(incoming, url, match)
      return reply && words && isRefusal(reply) ? { ...reply, body: words(reply) } : reply
    } catch (error) {
      if (!words) throw error
      const reply = faultReply(options.log, error, incoming.method)
      return { ...reply, body: words(reply) }
    }
  }

  async function answer(
    incoming: Incoming,
    url: URL | undefined,
    match: Match | 'no-method' | undefined,
  ): Promise<Reply | undefined> {
    const admission = admit(incoming.facts, accessOf(match), options.guard)
    if (!admission.ok) return refusalOf(admission)
    if (!url || match === undefined) return refusal('not_found')
    if (match === 'no-method') return refusal('method_not_allowed')
    return handle(incoming, url, match, admission)
  }
}

/** What somebody is told who did not get in. */
export function refusalOf({ refusal: code, detail }: Extract<Admission, { ok: false }>): Refusal {
  return refusal(code, detail === undefined ? {} : { detail })
}

export function isStoreFault(error: unknown): error is StoreFault | LedgerClosed {
  return error instanceof StoreFault || error instanceof LedgerClosed
}

/** What a caller is told when a call went wrong on our side. The log is told why. */
export function faultReply(log: Log, error: unknown, method?: string): Refusal {
  if (isStoreFault(error)) {
    const isRead = method === 'GET' || method === 'HEAD' || error instanceof RecordDamaged
    log.error(isRead ? 'record_not_read' : 'store_write_failed', {
      fault: error.code,
      error: error.message,
    })
    if (error instanceof LedgerClosed) return refusal('closing')
    return isRead ? readRefusal(error) : storeRefusal(error)
  }
  const id = randomUUID()
  log.error('request_failed', { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  return refusal('internal', { id })
}

/** An address that does not exist is not told apart from one that needs a credential (T5). */
function accessOf(match: Match | 'no-method' | undefined) {
  if (match === undefined || match === 'no-method') return { action: 'read-description' as const }
  const { action, raw, ticketed } = match.route
  return { action, ...(raw && { accepts: raw }), ...(ticketed && { ticketed }) }
}

/** The path and query of a request. */
export function parseUrl(target: string | undefined): URL | undefined {
  if (!target?.startsWith('/')) return undefined
  try {
    return new URL(`http://holdpoint${target}`)
  } catch {
    return undefined
  }
}

type Parsed = { ok: true; value: unknown } | { ok: false; reply: Reply }

function parseQuery(route: Route, url: URL): Parsed {
  const given = [...url.searchParams].filter(([name]) => !(route.ticketed && name === TICKET))
  if (new Set(given.map(([name]) => name)).size < given.length) {
    return { ok: false, reply: refusal(route.invalid ?? 'invalid_request', { issues: ['a parameter is given twice'] }) }
  }
  if (!route.query) return { ok: true, value: undefined }
  return validate(route.query, Object.fromEntries(given), route.invalid)
}

async function parseBody(route: Route, read: (limit: number) => Promise<BodyResult<Buffer>>): Promise<Parsed> {
  const limit = route.bodyLimit ?? (route.action === 'public' ? PUBLIC_BODY_LIMIT : SMALL_BODY)
  if (route.method === 'GET') return { ok: true, value: undefined }
  const bytes = await read(limit)
  if (!bytes.ok || route.raw) return bytes
  if (!route.body && bytes.value.length === 0) return { ok: true, value: undefined }
  const json = parseJsonBytes(bytes.value)
  return json.ok ? validate(route.body ?? NO_BODY, json.value, route.invalid) : json
}

function validate(schema: z.ZodType, value: unknown, invalid: ErrorCode = 'invalid_request'): Parsed {
  const parsed = schema.safeParse(value)
  if (parsed.success) return { ok: true, value: parsed.data }
  return { ok: false, reply: refusal(invalid, { issues: issuesOf(parsed.error) }) }
}
