import type { Device } from '@holdpoint/schema/device'
import type { SessionId } from '@holdpoint/schema/id'
import type { Snapshot } from '@holdpoint/schema/stream'
import { sees } from '../auth/devices.ts'
import type { TextSink } from '../transport/text-sink.ts'
import { eventText } from './event-text.ts'
import type { Frame } from './fan-out.ts'
import { snapshotTexts, writePieces } from './snapshot.ts'
import { type Sink, type SubscriptionDeps, subscribe } from './subscription.ts'

/** Serves a stream of server-sent events until the client leaves. */
export async function serveEvents(
  deps: SubscriptionDeps,
  options: { out: TextSink; device: Device; after?: string | number; sessionId?: SessionId; signal: AbortSignal },
): Promise<void> {
  const { out, device, sessionId, signal } = options
  const sink: Sink = {
    wants: (id) => (!sessionId || sessionId === id) && sees(device, id),
    get writable() {
      return out.writable
    },
    write: (frames) => out.write(frames.map(frameText).join('')),
    notify: (what) => out.write(`event: ${what}\ndata: {}\n\n`),
    writeSnapshot: (snapshot) =>
      writePieces(snapshotFrames(snapshot), { write: (text) => out.write(text), ready: () => out.ready(), signal }),
    ready: () => out.ready(),
    drop() {
      deps.fanOut.leave(sink)
      out.destroy()
    },
  }
  const leave = () => deps.fanOut.leave(sink)
  signal.addEventListener('abort', leave, { once: true })
  out.onDrain(() => deps.fanOut.drained(sink))
  await subscribe(deps, {
    sink,
    device,
    signal,
    ...(sessionId && { sessionId }),
    ...(options.after !== undefined && { after: options.after }),
  })
  if (signal.aborted) leave()
}

/** Only the last piece has an id: whoever is cut off before it begins anew. */
function* snapshotFrames(snapshot: Required<Snapshot>): Generator<string, void, undefined> {
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
