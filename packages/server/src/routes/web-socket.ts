import { socketPaths } from '@holdpoint/schema/paths'
import { ClientFrame, type SocketAnswer, type Subscribe } from '@holdpoint/schema/stream'
import { parseStrictJson } from '@holdpoint/schema/strict-json'
import { z } from 'zod'
import { sees } from '../auth/devices.ts'
import { answerAsk } from '../services/answering.ts'
import type { Services } from '../services/services.ts'
import { socketText } from '../stream/event-text.ts'
import { snapshotTexts, writePieces } from '../stream/snapshot.ts'
import { type Sink, subscribe } from '../stream/subscription.ts'
import { refusal, storeRefusal } from '../transport/errors.ts'
import { issuesOf } from '../transport/issues.ts'
import type { SocketRoute } from '../transport/socket-route.ts'
import { createSocketServer, type Peer, type PeerHandlers } from '../transport/socket-server.ts'

const FRAME_LIMIT = 256 * 1024

type Deps = Pick<
  Services,
  | 'ledger'
  | 'store'
  | 'fanOut'
  | 'partialTexts'
  | 'broker'
  | 'machines'
  | 'devices'
  | 'unread'
  | 'log'
  | 'askNotices'
  | 'presence'
>

/** `/api/stream`: snapshot, events, and answers on the same socket. */
export function streamSocket(services: Deps): SocketRoute {
  return {
    path: socketPaths.stream,
    action: 'read-events',
    server: createSocketServer(services, { frameLimit: FRAME_LIMIT, serve: (peer) => serve(services, peer) }),
  }
}

function serve(services: Deps, peer: Peer): PeerHandlers {
  let subscription: { sink: Sink; over: AbortController } | undefined
  /** One at a time: catching up may mean to read a lot, and whoever asks again and again would have it read as often. */
  let catchingUp = Promise.resolve()
  const page = services.presence.join(peer.device.id)

  function leave() {
    subscription?.over.abort()
    if (subscription) services.fanOut.leave(subscription.sink)
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
      write: (frames, when) => peer.sendTexts(frames.map(socketText), when),
      notify: (what) => peer.send({ type: what }),
      writeSnapshot: (snapshot) =>
        writePieces(snapshotTexts(snapshot), {
          write: (piece) => peer.sendTexts([piece]),
          ready: () => peer.ready(),
          signal: over.signal,
        }),
      ready: () => peer.ready(),
      drop() {
        services.fanOut.leave(current)
        peer.drop()
      },
    }
    subscription = { sink: current, over }
    if (!current.writable) return current.drop()
    const catchUp = () =>
      subscribe(services, {
        sink: current,
        device: peer.device,
        signal: over.signal,
        ...cursor,
        ...(ref !== undefined && { onCaughtUp: (partial) => peer.send({ type: 'subscribed', ref, partial }) }),
      })
    const caughtUp = catchingUp.then(() => (over.signal.aborted ? undefined : catchUp()))
    catchingUp = caughtUp.catch(() => {})
    await caughtUp
    if (over.signal.aborted) services.fanOut.leave(current)
  }

  async function onAnswer(frame: SocketAnswer) {
    const { type, ref, id, ...answer } = frame
    // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
    const device = services.devices.current(peer.device.id)
    const reply = device
      ? await answerAsk(services, { device, id, answer, via: peer.surface }).catch(storeRefusal)
      : refusal('unauthorized')
    if (subscription) services.fanOut.prefer(subscription.sink)
    peer.send({ type: 'answered', ref, status: reply.status, ...(reply.body as object) })
  }

  return {
    onMessage(text) {
      const frame = text === undefined ? BINARY : readFrame(text)
      if (!frame.ok) {
        peer.send(frame.reply)
        return false
      }
      if (frame.value.type === 'attention') {
        page.set(frame.value.inFront)
        return true
      }
      void (frame.value.type === 'subscribe' ? onSubscribe(frame.value) : onAnswer(frame.value)).catch(
        (error: unknown) => {
          services.log.error('stream_failed', { error: String(error) })
          peer.close(1011, 'internal error')
        },
      )
      return true
    },
    onDrain() {
      if (subscription) services.fanOut.drained(subscription.sink)
    },
    onClose() {
      page.leave()
      leave()
    },
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
