import type { Devices } from '../auth/devices.ts'
import type { Connections } from './connections.ts'
import { type Reply, refusal } from './errors.ts'
import type { Call } from './route.ts'
import type { TextSink } from './text-sink.ts'

export interface HeldStreamDeps {
  readonly devices: Devices
  readonly connections: Connections
}

/**
 * A reply that is written piece by piece: counted against its credential's limit, and cut when the credential goes (T12).
 * `serve` writes; the stream lasts until it ends the sink or the client leaves.
 */
export function heldStream(
  { devices, connections }: HeldStreamDeps,
  call: Pick<Call<unknown, unknown>, 'device' | 'request' | 'signal'>,
  headers: Record<string, string>,
  serve: (out: TextSink) => Promise<void> | void,
): Reply {
  const { device, signal } = call
  if (call.request.method === 'HEAD') return { status: 200, headers }
  let isCut = false
  let cut = () => {
    isCut = true
  }
  const release = connections.hold(device, () => cut())
  if (!release) return refusal('too_many_connections')
  if (signal.aborted) release()
  else signal.addEventListener('abort', release, { once: true })
  return {
    status: 200,
    headers,
    stream(out) {
      cut = () => out.destroy()
      // The credential went between the call and its stream: a message took its time to be recorded, say.
      if (isCut || !devices.current(device.id)) return cut()
      return serve(out)
    },
  }
}
