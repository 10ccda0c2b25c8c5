import type { Device } from '@holdpoint/schema/device'
import type { Devices } from '../auth/devices.ts'
import type { Reply } from './errors.ts'
import { type HeldStreamDeps, heldStream } from './held-stream.ts'
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

/** A reply of server-sent events that stays open: a held stream that is kept alive. */
export function eventStream(
  services: HeldStreamDeps,
  call: Pick<Call<unknown, unknown>, 'device' | 'request' | 'signal'>,
  serve: (out: TextSink) => Promise<void> | void,
): Reply {
  const { device, signal } = call
  return heldStream(services, call, HEADERS, (out) => {
    beat(services.devices, { out, device, signal })
    return serve(out)
  })
}

/** Keeps a stream of server-sent events open: proxies and clients see that it lives, and who reads nothing is let go. */
function beat(devices: Devices, options: { out: TextSink; device: Device; signal: AbortSignal }): void {
  if (options.signal.aborted) return
  let stuckBeats = 0
  const timer = setInterval(() => {
    stuckBeats = options.out.writable ? 0 : stuckBeats + 1
    if (stuckBeats >= MAX_STUCK_BEATS || !devices.current(options.device.id)) return options.out.destroy()
    options.out.write(': here\n\n')
  }, BEAT_MS).unref()
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}
