import type { Device } from '@holdpoint/schema/device'
import type { Devices } from '../auth/devices.ts'
import type { Connections } from './connections.ts'
import { type Reply, refusal } from './errors.ts'
import type { Call } from './route.ts'
import type { TextSink } from './text-sink.ts'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const BEAT_MS = 15_000
/** Beats in a row at which a client has read nothing of what waits for it. */
const MAX_STUCK_BEATS = 4

/**
 * A reply of server-sent events that stays open: counted against its credential's limit, kept alive, and cut when the
 * credential goes (T12). `serve` writes; the stream lasts until it ends the sink or the client leaves.
 */
export function eventStream(
  { devices, connections }: { readonly devices: Devices; readonly connections: Connections },
  call: Pick<Call<unknown, unknown>, 'device' | 'request' | 'signal'>,
  serve: (out: TextSink) => Promise<void> | void,
): Reply {
  const { device, signal } = call
  if (call.request.method === 'HEAD') return { status: 200, headers: HEADERS }
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
    headers: HEADERS,
    stream(out) {
      cut = () => out.destroy()
      // The credential went between the call and its stream: a message took its time to be recorded, say.
      if (isCut || !devices.current(device.id)) return cut()
      beat(devices, { out, device, signal, drop: cut })
      return serve(out)
    },
  }
}

/** Keeps a stream of server-sent events open: proxies and clients see that it lives, and who reads nothing is let go. */
function beat(
  devices: Devices,
  options: { out: TextSink; device: Device; signal: AbortSignal; drop: () => void },
): void {
  if (options.signal.aborted) return
  let stuckBeats = 0
  const timer = setInterval(() => {
    stuckBeats = options.out.writable ? 0 : stuckBeats + 1
    if (stuckBeats >= MAX_STUCK_BEATS || !devices.current(options.device.id)) return options.drop()
    options.out.write(': here\n\n')
  }, BEAT_MS).unref()
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
