import type { Context } from '../context.ts'
import { beat, EVENT_STREAM_HEADERS } from '../stream/sse.ts'
import { type Reply, refusal } from './errors.ts'
import type { Call } from './route.ts'
import type { TextSink } from './text-sink.ts'

/**
 * A reply of server-sent events that stays open: counted against its credential's limit, kept alive, and cut when the
 * credential goes (T12). `serve` writes; the stream lasts until it ends the sink or the client leaves.
 */
export function eventStream(
  context: Context,
  call: Pick<Call<unknown, unknown>, 'device' | 'request' | 'signal'>,
  serve: (out: TextSink) => Promise<void> | void,
): Reply {
  const { device, signal } = call
  if (call.request.method === 'HEAD') return { status: 200, headers: EVENT_STREAM_HEADERS }
  let isCut = false
  let cut = () => {
    isCut = true
  }
  const release = context.connections.hold(device, () => cut())
  if (!release) return refusal('too_many_connections')
  if (signal.aborted) release()
  else signal.addEventListener('abort', release, { once: true })
  return {
    status: 200,
    headers: EVENT_STREAM_HEADERS,
    stream(out) {
      cut = () => out.destroy()
      // The credential went between the call and its stream: a message took its time to be recorded, say.
      if (isCut || !context.devices.current(device.id)) return cut()
      beat(context, { out, device, signal, drop: cut })
      return serve(out)
    },
  }
}
