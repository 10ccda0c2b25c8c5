import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { ClientFrame, type SocketAnswer, type Subscribe } from '@holdpoint/schema/wire'
import { z } from 'zod'
import { answerAsk } from '../answering.ts'
import { sees } from '../auth/devices.ts'
import type { Context } from '../context.ts'
import { refusal, storeRefusal } from '../http/errors.ts'
import { issuesOf } from '../http/issues.ts'
import type { SocketRoute } from '../http/socket-route.ts'
import { socketText } from './event-text.ts'
import { snapshotTexts, writePieces } from './snapshot.ts'
import { createSocketServer, type Peer, type PeerHandlers } from './socket-server.ts'
import { type Sink, subscribe } from './subscription.ts'

const FRAME_LIMIT = 256 * 1024

/** `/api/stream`: snapshot, events, and answers on the same socket. */
export function streamSocket(context: Context): SocketRoute {
  return {
    path: '/api/stream',
    action: 'read-events',
    server: createSocketServer(context, { frameLimit: FRAME_LIMIT, serve: (peer) => serve(context, peer) }),
  }
}

function serve(context: Context, peer: Peer): PeerHandlers {
  let subscription: { sink: Sink; over: AbortController } | undefined
  /** One at a time: catching up may mean to read a lot, and whoever asks again and again would have it read as often. */
  let catchingUp = Promise.resolve()

  function leave() {
    subscription?.over.abort()
    if (subscription) context.fanOut.leave(subscription.sink)
  }

  async function onSubscribe(frame: Subscribe) {
    leave()
    const { type, ref, ...cursor } = frame
    const over = new AbortController()
    const current: Sink = {
      wants: (sessionId) => (!cursor.sessionId || cursor.sessionId === sessionId) && sees(peer.device, sessionId),
      get writable() {
        return peer.writable
      },
      write: (frames) => peer.sendTexts(frames.map(socketText)),
      writeSnapshot: (snapshot) =>
        writePieces(snapshotTexts(snapshot), {
          write: (piece) => peer.sendTexts([piece]),
          ready: () => peer.ready(),
          signal: over.signal,
        }),
      ready: () => peer.ready(),
      drop() {
        context.fanOut.leave(current)
        peer.drop()
      },
    }
    subscription = { sink: current, over }
    if (!current.writable) return current.drop()
    const catchUp = () =>
      subscribe(context, {
        sink: current,
        device: peer.device,
        signal: over.signal,
        ...cursor,
        ...(ref !== undefined && { onCaughtUp: (partial) => peer.send({ type: 'subscribed', ref, partial }) }),
      })
    const caughtUp = catchingUp.then(() => (over.signal.aborted ? undefined : catchUp()))
    catchingUp = caughtUp.catch(() => {})
    await caughtUp
    if (over.signal.aborted) context.fanOut.leave(current)
  }

  async function onAnswer(frame: SocketAnswer) {
    const { type, ref, id, ...answer } = frame
    // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
    const device = context.devices.current(peer.device.id)
    const reply = device
      ? await answerAsk(context, { device, id, answer, via: peer.surface }).catch(storeRefusal)
      : refusal('unauthorized')
    if (subscription) context.fanOut.prefer(subscription.sink)
    peer.send({ type: 'answered', ref, status: reply.status, ...(reply.body as object) })
  }

  return {
    onMessage(text) {
      const frame = text === undefined ? BINARY : readFrame(text)
      if (!frame.ok) {
        peer.send(frame.reply)
        return false
      }
      void (frame.value.type === 'subscribe' ? onSubscribe(frame.value) : onAnswer(frame.value)).catch(
        (error: unknown) => {
          context.log.error('a stream failed', { error: String(error) })
          peer.close(1011, 'something went wrong')
        },
      )
      return true
    },
    onDrain() {
      if (subscription) context.fanOut.drained(subscription.sink)
    },
    onClose: leave,
  }
}

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
