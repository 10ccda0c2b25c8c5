import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { DeviceId } from '@holdpoint/schema/id'
import type { GuardOptions, RequestFacts } from '../auth/guard.ts'
import type { Context } from '../context.ts'
import { createDispatch, faultReply, parseUrl } from '../http/dispatch.ts'
import { type Reply, refusal } from '../http/errors.ts'
import type { Route } from '../http/route.ts'
import type { TextSink } from '../http/text-sink.ts'
import { createDirectStreams, type DirectStream, type DirectStreamHandlers } from './direct-stream.ts'

export interface DirectCall {
  readonly method: string
  readonly path: string
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly idempotencyKey?: string
  readonly accept?: string
  /** Gets the text of a streamed reply as it comes; the call resolves when the stream is over. */
  readonly onText?: (text: string) => void
  /** Aborting says that nobody waits any more. */
  readonly signal?: AbortSignal
}

export interface DirectReply {
  readonly status: number
  /** JSON; left out where there is none. */
  readonly body?: string
}

/** The gateway as programs in its own process reach it: the same calls and streams as over the network, no socket. */
export interface DirectEndpoint {
  call(call: DirectCall): Promise<DirectReply>
  stream(handlers: DirectStreamHandlers): DirectStream
}

const HERE = 'direct'

/** Acts for one device: it may do what its role allows, and is looked up again for every call (I8). */
export function createDirectEndpoint(options: {
  readonly context: Context
  readonly routes: readonly Route[]
  readonly deviceId: DeviceId
}): DirectEndpoint {
  const { context, deviceId } = options
  const guard: GuardOptions = {
    allowedHosts: new Set([HERE]),
    allowedOrigins: new Set(),
    pageOrigins: new Map(),
    authenticate: () => context.devices.current(deviceId),
  }
  const dispatch = createDispatch({ context, routes: options.routes, guard })
  return {
    stream: createDirectStreams({ context, deviceId, guard, facts: factsOf({ method: 'GET', path: '' }) }),
    async call(call) {
      const bytes = Buffer.from(call.body ?? new Uint8Array())
      const { request, response } = unconnected(call)
      const gone = new AbortController()
      const signal = call.signal ? AbortSignal.any([call.signal, gone.signal]) : gone.signal
      try {
        const reply = await dispatch({
          facts: factsOf(call),
          method: call.method,
          url: parseUrl(call.path),
          bytes: async (limit) =>
            bytes.length > limit ? { ok: false, reply: refusal('too_large', { limit }) } : { ok: true, value: bytes },
          request,
          response,
          signal,
        })
        if (reply?.stream && call.onText) return await streamed(reply, call.onText, signal)
        return textOf(reply)
      } catch (error) {
        return textOf(faultReply(context.log, error, call.method))
      } finally {
        gone.abort()
      }
    },
  }
}

function factsOf(call: DirectCall): RequestFacts {
  return {
    method: call.method,
    hosts: [HERE],
    ...(call.contentType !== undefined && { contentType: call.contentType }),
    hasBody: (call.body?.length ?? 0) > 0,
    authorization: `Bearer ${HERE}`,
    upgrade: false,
  }
}

/** What handlers may look at. Whatever one writes into this response goes nowhere. */
function unconnected(call: DirectCall) {
  const request = new IncomingMessage(new Socket())
  request.method = call.method
  if (call.contentType !== undefined) request.headers['content-type'] = call.contentType
  if (call.accept !== undefined) request.headers.accept = call.accept
  if (call.idempotencyKey !== undefined) request.headers['idempotency-key'] = call.idempotencyKey
  return { request, response: new ServerResponse(request) }
}

/** Resolves when the stream has ended, or the caller has left. */
async function streamed(reply: Reply, onText: (text: string) => void, signal: AbortSignal): Promise<DirectReply> {
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const out: TextSink = {
      write: onText,
      writable: true,
      ready: () => Promise.resolve(),
      onDrain: () => {},
      end: resolve,
      destroy: resolve,
    }
    Promise.resolve(reply.stream?.(out)).catch(reject)
  })
  return { status: reply.status }
}

/** Routes that write to the response themselves serve what has no place here: streams, figures, files. */
function textOf(reply: Reply | undefined): DirectReply {
  const { status, body } = !reply || reply.stream ? refusal('not_supported') : reply
  if (body === undefined) return { status }
  if (typeof body === 'string' || Buffer.isBuffer(body)) return textOf(undefined)
  return { status, body: JSON.stringify(body) }
}
