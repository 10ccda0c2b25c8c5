import type { SessionView } from '@holdpoint/core/session-view'
import type { SessionId } from '@holdpoint/schema/id'
import { answerAsk } from '../../services/answering.ts'
import { findAsk } from '../../services/find-ask.ts'
import type { Services } from '../../services/services.ts'
import type { Follower } from '../../stream/follow-sessions.ts'
import { faultReply } from '../../transport/dispatch.ts'
import { isRefusal, type Reply, refusal } from '../../transport/errors.ts'
import { issuesOf } from '../../transport/issues.ts'
import type { Peer } from '../../transport/socket-server.ts'
import type { Dialect } from '../shared/dialect.ts'
import { type DialectConnection, type DialectSocketDeps, dialectSocket } from '../shared/dialect-socket.ts'
import { activeProcesses, answerOf, errorMessage, processState, showsTheSame, withinOneMessage } from './mapping.ts'
import { createMemoryReadings, type MemoryReadings } from './memory-readings.ts'
import { type ErrorMessage, PendingRequestResponse, TYPES } from './messages.ts'

type Deps = DialectSocketDeps & Pick<Services, 'broker' | 'ledger' | 'machines' | 'sessions'>

/** `/ws/`: every session that the credential sees, what its agent waits for, and the answers to that. */
export function createProcessState(services: Deps): Dialect {
  const memory = createMemoryReadings(services)
  const socket = dialectSocket(services, { path: '/ws/', connect: (peer) => connect(services, memory, peer) })
  return { routes: [], sockets: [socket, { ...socket, path: '/ws' }] }
}

function connect(services: Deps, memory: MemoryReadings, peer: Peer): DialectConnection {
  async function answer(response: PendingRequestResponse): Promise<Reply> {
    // The socket was opened a while ago: what its credential may do is read again for each answer (I8).
    const device = services.devices.current(peer.device.id)
    if (!device) return refusal('unauthorized')
    const { request_id: askId, session_id: sessionId } = response
    const record = await findAsk(services, { device, askId, sessionId })
    if (!record) return refusal('not_found')
    const read = answerOf(response, record.ask)
    if (read.ok)
      return answerAsk(services, { device, id: askId, answer: read.answer, via: 'process-state', bound: 'id' })
    const { outcome } = record
    return outcome ? refusal('already_settled', { outcome }) : refusal('invalid_answer', { issues: read.issues })
  }

  /** That an answer counts is told by the next `process_state`, to its sender like to everybody else. */
  async function onResponse(response: PendingRequestResponse) {
    const reply = await answer(response).catch((error: unknown) => faultReply(services.log, error))
    if (isRefusal(reply)) peer.send(errorMessage(reply, response.request_id))
  }

  return {
    follower: teller(services, memory, peer),
    onFrame(value) {
      const { type, request_id: requestId } = Object(value) as Record<string, unknown>
      if (!TYPES.has(type)) {
        peer.send(UNKNOWN_TYPE)
        return typeof type === 'string'
      }
      const response = PendingRequestResponse.safeParse(value)
      if (response.success) void onResponse(response.data)
      else {
        const refused = refusal('invalid_request', { issues: issuesOf(response.error) })
        peer.send(errorMessage(refused, typeof requestId === 'string' ? requestId.slice(0, 256) : undefined))
      }
      return response.success
    },
    malformed: (reason) => errorMessage(refusal('malformed_json', { issues: [reason] })),
  }
}

const UNKNOWN_TYPE: ErrorMessage = {
  type: 'error',
  code: 'unknown_type',
  message: 'Unknown message type.',
}

/**
 * Tells a client how each session stands whenever that changes. A message holds all that is open, so of what happens
 * in one go only the end is told: a hundred asks that are withdrawn together must not be told a hundred times.
 */
function teller(services: Deps, memory: MemoryReadings, peer: Peer): Follower {
  const told = new Map<SessionId, SessionView>()
  const untold = new Map<SessionId, SessionView>()
  let isTelling = false

  /** One after another, as the client reads: each may hold megabytes, and meanwhile newer ones take their place (F58). */
  async function tell() {
    await Promise.resolve()
    for (const [id, view] of untold) {
      if (!peer.writable) await peer.ready()
      const latest = untold.get(id) ?? view
      untold.delete(id)
      const before = told.get(id)
      // Should it live again, its first word is news in any case.
      if (latest.session.state === 'dead') told.delete(id)
      else told.set(id, latest)
      if (!before || !showsTheSame(before, latest)) peer.send(processState(latest, memory.last))
    }
  }

  function tellSoon() {
    if (isTelling) return
    isTelling = true
    tell()
      .catch((error: unknown) => {
        services.log.error('dialect_failed', { error: String(error) })
        peer.drop()
      })
      .finally(() => {
        isTelling = false
        if (untold.size > 0) tellSoon()
      })
  }

  return {
    onStart(views) {
      const { first, rest } = withinOneMessage(views)
      for (const view of views) told.set(view.session.id, view)
      peer.send(activeProcesses(first, memory.last))
      // Those with the largest requests follow, each in a message of its own.
      for (const view of rest) {
        told.delete(view.session.id)
        untold.set(view.session.id, view)
      }
      if (rest.length > 0) tellSoon()
    },
    onChange({ after }) {
      memory.read(after.session)
      untold.set(after.session.id, after)
      tellSoon()
    },
  }
}
