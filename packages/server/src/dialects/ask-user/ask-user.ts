import { randomUUID } from 'node:crypto'
import type { Device } from '@holdpoint/schema/device'
import { SessionId } from '@holdpoint/schema/id'
import type { SendMessage } from '@holdpoint/schema/session'
import { may } from '../../auth/policy.ts'
import { answerAsk, retryKeyOf } from '../../services/answering.ts'
import { findAsk } from '../../services/find-ask.ts'
import { findSession } from '../../services/find-session.ts'
import { queueMessage } from '../../services/sending.ts'
import type { Services } from '../../services/services.ts'
import { faultReply } from '../../transport/dispatch.ts'
import { isRefusal, type Reply, refusal } from '../../transport/errors.ts'
import { issuesOf } from '../../transport/issues.ts'
import type { Peer } from '../../transport/socket-server.ts'
import type { Dialect } from '../shared/dialect.ts'
import { type DialectConnection, type DialectSocketDeps, dialectSocket } from '../shared/dialect-socket.ts'
import { answerOf, changes, errorMessage, isShown, sessionTaken, standing } from './mapping.ts'
import { type AskUserResponse, ClientMessage, type ErrorMessage, type ServerMessage, TYPES } from './messages.ts'

type Deps = DialectSocketDeps & Pick<Services, 'broker' | 'ledger' | 'machines' | 'sessions'>

/** `/ws/chat/:sessionId`: the questions of one session, and messages to its agent. */
export function createAskUser(services: Deps): Dialect {
  const responders = createResponders(({ device }) => services.devices.current(device.id) !== undefined)
  return {
    routes: [],
    sockets: [
      dialectSocket(services, {
        path: '/ws/chat/:sessionId',
        exists: async ({ sessionId }, device) => (await findSession(services, device, sessionId)) !== undefined,
        connect: (peer) => connect(services, peer, responders),
      }),
    ],
  }
}

function connect(services: Deps, peer: Peer, responders: Responders): DialectConnection {
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
    const device = services.devices.current(peer.device.id)
    if (!device) return errorMessage(refusal('unauthorized'), questionId)
    if (may(device, 'answer-ask') && !responders.isNewest(sessionId, peer)) return sessionTaken(questionId)
    const reply = await answer(device, data)
    return isRefusal(reply) ? errorMessage(reply, questionId) : undefined
  }

  async function answer(device: Device, data: AskUserResponse['data']): Promise<Reply> {
    const record = await findAsk(services, { device, askId: data.question_id, sessionId })
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
    const reply = await answerAsk(services, call)
    if (isRefusal(reply)) own.delete(key)
    return reply
  }

  async function send(message: SendMessage): Promise<ErrorMessage | undefined> {
    const device = services.devices.current(peer.device.id)
    if (!device) return errorMessage(refusal('unauthorized'))
    if (!may(device, 'send-message')) return errorMessage(refusal('forbidden'))
    const sent = await queueMessage(services, { device, sessionId, message })
    return sent.ok ? undefined : errorMessage(sent.reply)
  }

  /** What counts shows in what follows from it; only what does not is replied to. */
  async function handle(acting: Promise<ErrorMessage | undefined>, questionId?: string) {
    const error = await acting.catch((fault: unknown) => errorMessage(faultReply(services.log, fault), questionId))
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
  message: 'Unknown message type.',
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
