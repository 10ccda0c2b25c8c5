import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import { sees } from '../auth/devices.ts'
import type { Context } from '../context.ts'
import type { TextSink } from '../http/text-sink.ts'
import { eventText } from './event-text.ts'
import type { Frame } from './fan-out.ts'
import { type Snapshot, snapshotTexts, writePieces } from './snapshot.ts'
import { type Sink, subscribe } from './subscription.ts'

export const EVENT_STREAM = 'text/event-stream; charset=utf-8'
export const EVENT_STREAM_HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

const BEAT_MS = 15_000
/** Beats in a row at which a client has read nothing of what waits for it. */
const MAX_STUCK_BEATS = 4

/** Keeps a stream of server-sent events open: proxies and clients see that it lives, and who reads nothing is let go. */
export function beat(
  context: Context,
  options: { out: TextSink; device: Device; signal: AbortSignal; drop: () => void },
): void {
  if (options.signal.aborted) return
  let stuckBeats = 0
  const timer = setInterval(() => {
    stuckBeats = options.out.writable ? 0 : stuckBeats + 1
    if (stuckBeats >= MAX_STUCK_BEATS || !context.devices.current(options.device.id)) return options.drop()
    options.out.write(': here\n\n')
  }, BEAT_MS).unref()
  options.signal.addEventListener('abort', () => clearInterval(timer), { once: true })
}

/** Serves a stream of server-sent events until the client leaves. */
export async function serveEvents(
  context: Context,
  options: { out: TextSink; device: Device; after?: string | number; sessionId?: SessionId; signal: AbortSignal },
): Promise<void> {
  const { out, device, sessionId, signal } = options
  const sink: Sink = {
    wants: (id) => (!sessionId || sessionId === id) && sees(device, id),
    get writable() {
      return out.writable
    },
    write: (frames) => out.write(frames.map(frameText).join('')),
    writeSnapshot: (snapshot) =>
      writePieces(snapshotFrames(snapshot), { write: (text) => out.write(text), ready: () => out.ready(), signal }),
    ready: () => out.ready(),
    drop() {
      context.fanOut.leave(sink)
      out.destroy()
    },
  }
  const leave = () => context.fanOut.leave(sink)
  signal.addEventListener('abort', leave, { once: true })
  out.onDrain(() => context.fanOut.drained(sink))
  await subscribe(context, {
    sink,
    device,
    signal,
    ...(sessionId && { sessionId }),
    ...(options.after !== undefined && { after: options.after }),
  })
  if (signal.aborted) leave()
}

/** Only the last piece has an id: whoever is cut off before it begins anew. */
function* snapshotFrames(snapshot: Snapshot): Generator<string, void, undefined> {
  const pieces = snapshotTexts(snapshot)
  let isFirst = true
  for (let piece = pieces.next(); !piece.done; isFirst = false) {
    const text = piece.value
    piece = pieces.next()
    const name = isFirst && piece.done ? 'snapshot' : 'snapshot-part'
    yield `${piece.done ? `id: ${snapshot.cursor}\n` : ''}event: ${name}\ndata: ${text}\n\n`
  }
}

function frameText(frame: Frame): string {
  frame.sseText ??= `${frame.place ? `id: ${frame.place.cursor}\n` : ''}event: ${frame.event.type}\ndata: ${eventText(frame.event)}\n\n`
  return frame.sseText
}
