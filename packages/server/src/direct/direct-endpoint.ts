import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { DirectCall, DirectEndpoint, DirectReply } from '@holdpoint/schema/direct-endpoint'
import type { DeviceId } from '@holdpoint/schema/id'
import type { Devices } from '../auth/devices.ts'
import type { GuardOptions, RequestFacts, Surface } from '../auth/guard.ts'
import type { SubscriptionDeps } from '../stream/subscription.ts'
import type { Log } from '../system/log.ts'
import { createDispatch, faultReply, parseUrl } from '../transport/dispatch.ts'
import { type Reply, refusal } from '../transport/errors.ts'
import type { Route } from '../transport/route.ts'
import type { TextSink } from '../transport/text-sink.ts'
import { createDirectStreams } from './direct-stream.ts'

interface DirectOptions extends SubscriptionDeps {
  readonly devices: Devices
  readonly log: Log
  readonly routes: readonly Route[]
  readonly deviceId: DeviceId
  /** Where the device calls from, if another gateway has let it in; `api` unless given. */
  readonly surface?: Surface
  /** Aborts when the gateway begins to close. */
  readonly closing: AbortSignal
}

const HERE = 'direct'

/** Acts for one device: it may do what its role allows, and is looked up again for every call (I8). */
export function createDirectEndpoint(options: DirectOptions): DirectEndpoint {
  const { devices, log, deviceId } = options
  const guard: GuardOptions = {
    closing: options.closing,
    allowedHosts: new Set([HERE]),
    allowedOrigins: new Set(),
    pageOrigins: new Map(),
    authenticate: () => devices.current(deviceId),
    ...(options.surface && { surface: options.surface }),
  }
  const dispatch = createDispatch({ devices, log, routes: options.routes, guard })
  return {
    stream: createDirectStreams({ ...options, guard, facts: factsOf({ method: 'GET', path: '' }) }),
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
        return textOf(faultReply(log, error, call.method))
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
  const { status, body } = !reply || reply.stream || reply.file ? refusal('not_supported') : reply
  if (body === undefined) return { status }
  if (typeof body === 'string' || Buffer.isBuffer(body)) return textOf(undefined)
  return { status, body: JSON.stringify(body) }
}
