import type { ServerResponse } from 'node:http'
import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import { sees } from '../auth/devices.ts'
import type { Context } from '../context.ts'
import { eventText } from './event-text.ts'
import type { Frame } from './fan-out.ts'
import { drained, HIGH_WATER } from './socket-sink.ts'
import { type Sink, subscribe } from './subscription.ts'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'

const BEAT_MS = 15_000
/** Beats in a row at which a client has read nothing of what waits for it. */
const MAX_STUCK_BEATS = 4

/** Serves a stream of server-sent events until the client leaves. */
export async function serveEvents(
  context: Context,
  options: {
    response: ServerResponse
    device: Device
    after?: number
    sessionId?: SessionId
    signal: AbortSignal
    onClose: (close: () => void) => void
  },
): Promise<void> {
  const { response, device, sessionId, signal } = options
  const wire = response.socket
  if (!wire) return
  response.writeHead(200, {
    'content-type': EVENT_STREAM,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const sink: Sink = {
    wants: (id) => (!sessionId || sessionId === id) && sees(device, id),
    get writable() {
      return wire.writableLength < HIGH_WATER
    },
    write: (frames) => void response.write(frames.map(frameText).join('')),
    writeSnapshot: (snapshot) =>
      void response.write(
        `id: ${snapshot.seq}\nevent: snapshot\ndata: ${JSON.stringify({ type: 'snapshot', ...snapshot })}\n\n`,
      ),
    ready: () => drained(wire, HIGH_WATER),
    drop() {
      context.fanOut.leave(sink)
      response.destroy()
    },
  }
  let stuckBeats = 0
  const beat = setInterval(() => {
    stuckBeats = sink.writable ? 0 : stuckBeats + 1
    if (stuckBeats >= MAX_STUCK_BEATS || !context.devices.current(device.id)) return sink.drop()
    response.write(': here\n\n')
  }, BEAT_MS)
  const onDrain = () => context.fanOut.drained(sink)
  wire.on('drain', onDrain)
  const leave = () => {
    clearInterval(beat)
    wire.off('drain', onDrain)
    context.fanOut.leave(sink)
  }
  signal.addEventListener('abort', leave, { once: true })
  options.onClose(() => sink.drop())
  await subscribe(context, {
    sink,
    device,
    signal,
    ...(sessionId && { sessionId }),
    ...(options.after !== undefined && { after: options.after }),
  })
  if (signal.aborted) leave()
}

function frameText(frame: Frame): string {
  frame.sseText ??= `${frame.seq === undefined ? '' : `id: ${frame.seq}\n`}event: ${frame.event.type}\ndata: ${eventText(frame.event)}\n\n`
  return frame.sseText
}
