import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Device } from '@holdpoint/schema/device'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { ClientFrame, type SocketAnswer, type Subscribe } from '@holdpoint/schema/wire'
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { answerAsk } from '../answering.ts'
import type { Surface } from '../auth/guard.ts'
import type { Context } from '../context.ts'
import { refusal } from '../http/errors.ts'
import { issuesOf } from '../http/issues.ts'
import { HIGH_WATER, socketSink } from './socket-sink.ts'
import { type Sink, subscribe } from './subscription.ts'

const FRAME_LIMIT = 256 * 1024
const BEAT_MS = 30_000
/** Beats without a word from a client that is being sent something: its reply to a ping waits behind that. */
const BUSY_BEATS = 4
/** Characters of replies that a client may leave unread: it asks for them itself, and faster than it reads. */
const REPLY_LIMIT = 16 * 1024 * 1024
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
    let subscription: { sink: Sink; over: AbortController } | undefined
    let badFrames = 0
    let silentBeats = 0
    let unreadReplies = 0
    const send = (message: unknown) => {
      if (socket.readyState !== socket.OPEN) return
      const text = JSON.stringify(message)
      unreadReplies = (wire.writableLength === 0 ? 0 : unreadReplies) + text.length
      if (unreadReplies > REPLY_LIMIT) return socket.terminate()
      socket.send(text)
    }
    const leave = () => {
      subscription?.over.abort()
      if (subscription) context.fanOut.leave(subscription.sink)
    }
    const onDrain = () => {
      unreadReplies = 0
      socket.resume()
      if (subscription) context.fanOut.drained(subscription.sink)
    }
    const beat = setInterval(() => {
      if (!context.devices.current(caller.device.id)) return socket.close(1008, 'the credential has ended')
      if (silentBeats >= (wire.writableLength > 0 ? BUSY_BEATS : 1)) return socket.terminate()
      silentBeats++
      socket.ping()
    }, BEAT_MS)

    wire.on('drain', onDrain)
    socket.on('pong', () => {
      silentBeats = 0
      context.devices.seen(caller.device.id)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(beat)
      leave()
      wire.off('drain', onDrain)
      open.delete(socket)
    })
    socket.on('message', (data, isBinary) => {
      silentBeats = 0
      // Replies that nobody reads pile up: nothing more is taken until they are read (I10).
      if (wire.writableLength >= HIGH_WATER) socket.pause()
      const frame = isBinary ? BINARY : readFrame(data.toString())
      if (!frame.ok) {
        if (++badFrames > MAX_BAD_FRAMES) return socket.close(1008, 'too many bad frames')
        return void send(frame.reply)
      }
      badFrames = 0
      void (frame.value.type === 'subscribe' ? onSubscribe(frame.value) : onAnswer(frame.value)).catch(
        (error: unknown) => {
          context.log.error('a stream failed', { error: String(error) })
          socket.close(1011, 'something went wrong')
        },
      )
    })

    async function onSubscribe(frame: Subscribe) {
      leave()
      const over = new AbortController()
      const current: Sink = socketSink({
        socket,
        wire,
        device: caller.device,
        ...(frame.sessionId && { sessionId: frame.sessionId }),
        onLeave: () => context.fanOut.leave(current),
      })
      subscription = { sink: current, over }
      if (!current.writable) return current.drop()
      const { type, ref, ...cursor } = frame
      await subscribe(context, {
        sink: current,
        device: caller.device,
        signal: over.signal,
        ...cursor,
        ...(ref !== undefined && { onCaughtUp: (partial) => send({ type: 'subscribed', ref, partial }) }),
      })
      if (over.signal.aborted) context.fanOut.leave(current)
    }

    async function onAnswer(frame: SocketAnswer) {
      const { type, ref, id, ...answer } = frame
      // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
      const device = context.devices.current(caller.device.id)
      const reply = device
        ? await answerAsk(context, { device, id, answer, via: caller.surface }).catch(() =>
            refusal('store_unavailable'),
          )
        : refusal('unauthorized')
      if (subscription) context.fanOut.prefer(subscription.sink)
      send({ type: 'answered', ref, status: reply.status, ...(reply.body as object) })
    }
  }

  return {
    /** The caller has been through the guard. */
    accept(
      request: IncomingMessage,
      wire: Socket,
      head: Buffer,
      caller: { device: Device; surface: Surface },
    ): Promise<WebSocket> {
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

type ReadFrame = { ok: true; value: ClientFrame } | { ok: false; reply: object }

const BINARY: ReadFrame = {
  ok: false,
  reply: { type: 'error', ...refusal('malformed_json', { reason: 'binary' }).body },
}
/** Enough of an answer to tell its sender which one was wrong. */
const ReferredAnswer = z.looseObject({ type: z.literal('answer'), ref: z.string().max(128) })

function readFrame(text: string): ReadFrame {
  const parsed = parseStrictJson(text)
  if (!parsed.ok) {
    return { ok: false, reply: { type: 'error', ...refusal('malformed_json', { ...parsed.refusal }).body } }
  }
  const frame = ClientFrame.safeParse(parsed.value)
  if (frame.success) return { ok: true, value: frame.data }
  const issues = issuesOf(frame.error)
  const answer = ReferredAnswer.safeParse(parsed.value)
  if (!answer.success) return { ok: false, reply: { type: 'error', ...refusal('invalid_request', { issues }).body } }
  const { status, body } = refusal('invalid_answer', { issues })
  return { ok: false, reply: { type: 'answered', ref: answer.data.ref, status, ...body } }
}
