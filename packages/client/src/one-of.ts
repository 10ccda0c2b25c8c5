import { isLost, refusedOf } from './calls.ts'
import { connectionCode, isNotConnected } from './connection-code.ts'
import { type Call, type Reply, type StreamHandlers, TransportFault, type Wire } from './transport.ts'

/** Which of several gateways is used now. */
export interface Place {
  at: number
}

/**
 * Several gateways of one log as one wire. It stays with one of them until that cannot be reached, and goes on with the
 * next. There a call is made again where that does no harm: nobody got it, it only reads, or it has an idempotency key.
 * Every other call fails as it did; it may have been done. What a gateway has refused is refused.
 */
export function oneOf(wires: readonly Wire[], place: Place = { at: 0 }): Wire {
  if (wires.length === 0) throw new TypeError('At least one address is needed.')

  /** Unless somebody else has left it meanwhile. */
  function leave(at: number) {
    if (place.at === at) place.at = (at + 1) % wires.length
  }

  function wireAt(at: number): Wire {
    return wires[at] as Wire
  }

  async function call(wanted: Call): Promise<Reply> {
    const first = place.at
    for (let tries = 1; ; tries++) {
      const at = (first + tries - 1) % wires.length
      const isLast = tries === wires.length
      try {
        const reply = await wireAt(at).call(wanted)
        if (!isLost(refusedOf(reply))) return reply
        leave(at)
        if (isLast || !isRepeatable(wanted)) return reply
      } catch (error) {
        if (!isGone(error, wanted)) throw error
        leave(at)
        if (isLast || wanted.signal?.aborted || !mayRepeat(wanted, error)) throw error
      }
    }
  }

  function stream(handlers: StreamHandlers) {
    const { at } = place
    const own = wireAt(at).stream({
      onOpen: () => handlers.onOpen(),
      onFrame: (frame) => handlers.onFrame(frame),
      onEnd(end) {
        if (end !== 'unauthorized') leave(at)
        handlers.onEnd(end)
      },
    })
    return {
      send: own.send,
      /** Whoever closes a stream and opens another one has heard too little on it. */
      close() {
        leave(at)
        own.close()
      },
    }
  }

  return { call, stream }
}

/** Also where the caller's deadline has passed: then the next try is made elsewhere. */
function isGone(error: unknown, { signal }: Call): boolean {
  return isUnreachable(error) || (signal?.aborted === true && isUnreachable(signal.reason))
}

function isUnreachable(error: unknown): boolean {
  return error instanceof TransportFault && error.code === 'unreachable'
}

function isRepeatable({ method, idempotencyKey }: Call): boolean {
  return method === 'GET' || idempotencyKey !== undefined
}

function mayRepeat(call: Call, fault: unknown): boolean {
  if (isNotConnected(connectionCode((fault as Error).cause))) return true
  // A part of what is streamed may have been passed on.
  return call.onText === undefined && isRepeatable(call)
}
