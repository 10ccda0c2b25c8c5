import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Device } from '@holdpoint/schema/device'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { ClientFrame, type SocketAnswer, type Subscribe } from '@holdpoint/schema/wire'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import { answerAsk } from '../answering.ts'
import type { Surface } from '../auth/guard.ts'
import type { Context } from '../context.ts'
import { refusal } from '../http/errors.ts'
import { socketSink } from './socket-sink.ts'
import { type Sink, subscribe } from './subscription.ts'

const FRAME_LIMIT = 256 * 1024
const BEAT_MS = 30_000
/** Frames that make no sense, in a row: a mistake deserves a reply, a flood does not. */
const MAX_BAD_FRAMES = 20

/** `/api/stream`: snapshot, events, and answers on the same socket. */
export function createStreamServer(context: Context) {
  const limits: ServerOptions & { maxFragments: number } = {
    noServer: true,
    maxPayload: FRAME_LIMIT,
    maxFragments: 64,
    perMessageDeflate: false,
    clientTracking: false,
  }
  const server = new WebSocketServer(limits)
  const open = new Set<WebSocket>()

  function serve(socket: WebSocket, wire: Socket, caller: { device: Device; surface: Surface }) {
    open.add(socket)
    const gone = new AbortController()
    let sink: Sink | undefined
    let badFrames = 0
    let heard = true
    const send = (message: unknown) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(message))
    const leave = () => sink && context.fanOut.leave(sink)
    const onDrain = () => sink && context.fanOut.drained(sink)
    const beat = setInterval(() => {
      if (!heard) return socket.terminate()
      heard = false
      socket.ping()
    }, BEAT_MS)

    wire.on('drain', onDrain)
    socket.on('pong', () => {
      heard = true
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(beat)
      gone.abort()
      leave()
      wire.off('drain', onDrain)
      open.delete(socket)
    })
    socket.on('message', (data, isBinary) => {
      heard = true
      const frame = isBinary ? undefined : readFrame(data.toString())
      if (!frame?.ok) {
        if (++badFrames > MAX_BAD_FRAMES) return socket.close(1008, 'too many bad frames')
        return void send({ type: 'error', ...refusal('invalid_request', frame?.details ?? { reason: 'binary' }).body })
      }
      badFrames = 0
      void (frame.value.type === 'subscribe' ? onSubscribe(frame.value) : onAnswer(frame.value)).catch((error: unknown) => {
        context.log.error('a stream failed', { error: String(error) })
        socket.close(1011, 'something went wrong')
      })
    })

    async function onSubscribe(frame: Subscribe) {
      leave()
      const current: Sink = socketSink({
        socket,
        wire,
        device: caller.device,
        ...(frame.sessionId && { sessionId: frame.sessionId }),
        onLeave: () => context.fanOut.leave(current),
      })
      sink = current
      const { type, ...cursor } = frame
      await subscribe(context, { sink: current, device: caller.device, signal: gone.signal, ...cursor })
      if (gone.signal.aborted) context.fanOut.leave(current)
    }

    async function onAnswer(frame: SocketAnswer) {
      const { type, ref, id, ...answer } = frame
      // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
      const device = context.devices.current(caller.device.id)
      const reply = device
        ? await answerAsk(context, { device, id, answer, via: caller.surface }).catch(() => refusal('store_unavailable'))
        : refusal('unauthorized')
      if (sink) context.fanOut.prefer(sink)
      send({ type: 'answered', ref, status: reply.status, ...(reply.body as object) })
    }
  }

  return {
    /** The caller has been through the guard. */
    accept(request: IncomingMessage, wire: Socket, head: Buffer, caller: { device: Device; surface: Surface }): Promise<WebSocket> {
      return new Promise((resolve) => {
        server.handleUpgrade(request, wire, head, (socket) => {
          serve(socket, wire, caller)
          resolve(socket)
        })
      })
    },
    close() {
      for (const socket of open) socket.close(1001, 'the gateway is going down')
      for (const socket of open) setTimeout(() => socket.terminate(), 500).unref()
    },
  }
}
export type StreamServer = ReturnType<typeof createStreamServer>

function readFrame(text: string): { ok: true; value: ClientFrame } | { ok: false; details: Record<string, unknown> } {
  const parsed = parseStrictJson(text)
  if (!parsed.ok) return { ok: false, details: { ...parsed.refusal } }
  const frame = ClientFrame.safeParse(parsed.value)
  if (frame.success) return { ok: true, value: frame.data }
  const ref = (parsed.value as { ref?: unknown } | null)?.ref
  return { ok: false, details: { issues: issuesOf(frame.error), ...(typeof ref === 'string' && { ref }) } }
}

function issuesOf(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }) {
  return error.issues.slice(0, 10).map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
}
