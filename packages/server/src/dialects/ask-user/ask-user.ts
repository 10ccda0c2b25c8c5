import { randomUUID } from 'node:crypto'
import type { Device } from '@holdpoint/schema/device'
import { SessionId } from '@holdpoint/schema/id'
import type { SendMessage } from '@holdpoint/schema/session'
import { answerAsk, retryKeyOf } from '../../answering.ts'
import { may } from '../../auth/policy.ts'
import type { Context } from '../../context.ts'
import { faultReply } from '../../http/dispatch.ts'
import { isRefusal, type Reply, refusal } from '../../http/errors.ts'
import { issuesOf } from '../../http/issues.ts'
import { findSession, queueMessage } from '../../sending.ts'
import type { Peer } from '../../stream/socket-server.ts'
import type { Dialect } from '../dialect.ts'
import { type DialectConnection, dialectSocket } from '../dialect-socket.ts'
import { findAsk } from '../find-ask.ts'
import { answerOf, changes, errorMessage, isShown, sessionTaken, standing } from './mapping.ts'
import { type AskUserResponse, ClientMessage, type ErrorMessage, type ServerMessage, TYPES } from './messages.ts'

/** `/ws/chat/:sessionId`: the questions of one session, and messages to its agent. */
export function createAskUser(context: Context): Dialect {
  const responders = createResponders(({ device }) => context.devices.current(device.id) !== undefined)
  return {
    routes: [],
    sockets: [
      dialectSocket(context, {
        path: '/ws/chat/:sessionId',
        exists: async ({ sessionId }, device) => (await findSession(context, device, sessionId)) !== undefined,
        connect: (peer) => connect(context, peer, responders),
      }),
    ],
  }
}

function connect(context: Context, peer: Peer, responders: Responders): DialectConnection {
  const sessionId = SessionId.parse(peer.params.sessionId)
  /** Keys of this connection's responses, until their outcome comes by: nobody needs to hear of their own. */
  const own = new Set<string>()
  // Somebody who may only look must not keep those who may answer from it.
  if (may(peer.device, 'answer-ask')) responders.join(sessionId, peer)

  function tell(messages: readonly ServerMessage[]) {
    for (const message of messages) peer.send(message)
  }

  async function respond({ data }: AskUserResponse): Promise<ErrorMessage | undefined> {
    const { question_id: questionId } = data
    // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
    const device = context.devices.current(peer.device.id)
    if (!device) return errorMessage(refusal('unauthorized'), questionId)
    if (may(device, 'answer-ask') && !responders.isNewest(sessionId, peer)) return sessionTaken(questionId)
    const reply = await answer(device, data)
    return isRefusal(reply) ? errorMessage(reply, questionId) : undefined
  }

  async function answer(device: Device, data: AskUserResponse['data']): Promise<Reply> {
    const record = await findAsk(context, { device, askId: data.question_id, sessionId })
    if (!record || !isShown(record.ask)) return refusal('not_found')
    const { ask, outcome } = record
    const read = answerOf(data, ask)
    if (!read.ok)
      return outcome ? refusal('already_settled', { outcome }) : refusal('invalid_answer', { issues: read.issues })
    const idempotencyKey = randomUUID()
    const key = retryKeyOf(device, idempotencyKey)
    // A cancel is confirmed to everybody, its sender included.
    if (!data.cancelled) own.add(key)
    const call = { device, id: ask.id, answer: read.answer, via: 'ask-user', bound: 'id', idempotencyKey } as const
    const reply = await answerAsk(context, call)
    if (isRefusal(reply)) own.delete(key)
    return reply
  }

  async function send(message: SendMessage): Promise<ErrorMessage | undefined> {
    const device = context.devices.current(peer.device.id)
    if (!device) return errorMessage(refusal('unauthorized'))
    if (!may(device, 'send-message')) return errorMessage(refusal('forbidden'))
    const sent = await queueMessage(context, { device, sessionId, message })
    return sent.ok ? undefined : errorMessage(sent.reply)
  }

  /** What counts shows in what follows from it; only what does not is replied to. */
  async function handle(acting: Promise<ErrorMessage | undefined>, questionId?: string) {
    const error = await acting.catch((fault: unknown) => errorMessage(faultReply(context.log, fault), questionId))
    if (error) peer.send(error)
  }

  return {
    sessionId,
    follower: {
      onStart: ([view]) => tell(standing(sessionId, view)),
      onChange(change) {
        const { event } = change
        const isOwn = event.type === 'ask-settled' && own.delete(event.outcome.retryKey ?? '')
        tell(changes(change, isOwn))
      },
    },
    onFrame(value) {
      const { type, data } = Object(value) as Record<string, unknown>
      if (!TYPES.has(type)) {
        peer.send(UNKNOWN_TYPE)
        return typeof type === 'string'
      }
      const message = ClientMessage.safeParse(value)
      if (!message.success) {
        const { question_id: named } = Object(data) as Record<string, unknown>
        const refused = refusal('invalid_request', { issues: issuesOf(message.error) })
        peer.send(errorMessage(refused, typeof named === 'string' ? named.slice(0, 256) : undefined))
      } else if (message.data.type === 'message') void handle(send(message.data.data))
      else void handle(respond(message.data), message.data.data.question_id)
      return message.success
    },
    malformed: (reason) => errorMessage(refusal('malformed_json', { issues: [reason] })),
    onClose: () => responders.leave(sessionId, peer),
  }
}

const UNKNOWN_TYPE: ErrorMessage = {
  type: 'error',
  error: 'unknown_type',
  message: 'There is no message of this type.',
}

/** Who may respond: of the connections to a session the newest, and when it goes, the one before it again. */
function createResponders(isCurrent: (peer: Peer) => boolean) {
  const connected = new Map<SessionId, Peer[]>()
  return {
    join(id: SessionId, peer: Peer) {
      connected.set(id, [...(connected.get(id) ?? []), peer])
    },
    leave(id: SessionId, peer: Peer) {
      const rest = connected.get(id)?.filter((other) => other !== peer) ?? []
      if (rest.length > 0) connected.set(id, rest)
      else connected.delete(id)
    },
    /** One whose credential has ended is on its way out: it keeps nobody from answering. */
    isNewest: (id: SessionId, peer: Peer) => connected.get(id)?.findLast(isCurrent) === peer,
  }
}
type Responders = ReturnType<typeof createResponders>
