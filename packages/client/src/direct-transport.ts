import type { DirectEndpoint } from '@holdpoint/schema/direct-endpoint'
import { createInteractions } from './interactions.ts'
import { readFrame } from './read-frame.ts'
import { type Transport, TransportFault, type Wire } from './transport.ts'

/** Reaches a gateway without a socket. */
export function createDirectTransport(endpoint: DirectEndpoint): Transport {
  const wire: Wire = {
    async call({ method, path, body, idempotencyKey, accept, onText, signal }) {
      const { bytes, type } = await encode(body)
      const calling = endpoint.call({
        method,
        path,
        ...(bytes && { body: bytes, contentType: type }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(accept !== undefined && { accept }),
        ...(onText && { onText: (text: string) => void (signal?.aborted || onText(text)) }),
        ...(signal && { signal }),
      })
      const reply = await unlessAborted(calling, signal)
      return { status: reply.status, body: reply.body === undefined ? undefined : JSON.parse(reply.body) }
    },
    stream(handlers) {
      const stream = endpoint.stream({
        ...handlers,
        onFrame(text) {
          const frame = readFrame(text)
          if (frame) handlers.onFrame(frame)
        },
      })
      return { send: (frame) => stream.send(JSON.stringify(frame)), close: () => stream.close() }
    },
  }
  return { ...wire, ...createInteractions(wire) }
}

async function encode(body: unknown): Promise<{ bytes?: Uint8Array; type: string }> {
  if (body instanceof Blob) return { bytes: new Uint8Array(await body.arrayBuffer()), type: body.type }
  if (body === undefined) return { type: '' }
  return { bytes: new TextEncoder().encode(JSON.stringify(body)), type: 'application/json' }
}

function unlessAborted<Value>(calling: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return calling
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new TransportFault('aborted', 'The call was cancelled.'))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    calling.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
