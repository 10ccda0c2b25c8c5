import { createHash } from 'node:crypto'
import type { ProgramDriver } from '@holdpoint/agents/programs/program-driver'
import { createAskRate } from '@holdpoint/core/ask-rate'
import type { Clock } from '@holdpoint/core/clock'
import type { Ledger } from '@holdpoint/core/ledger'
import { MAX_OPEN_ASKS } from '@holdpoint/core/open-room'
import type { SessionRefusal, SessionResult } from '@holdpoint/core/session-refusal'
import type { Sessions } from '@holdpoint/core/sessions'
import type { Store } from '@holdpoint/core/store'
import type { Device } from '@holdpoint/schema/device'
import { FOUND_LIVES, type Program } from '@holdpoint/schema/endpoints/asks'
import { type DeviceId, idOfHash, type SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'

/** Sessions that one credential may begin, or begin anew: each stays in the record (I10). */
const BEGINNINGS = { atOnce: 100, perSecond: 1 }

/** Where a raiser's request is, or is to be, on record. */
export interface Place {
  readonly sessionId: SessionId
  readonly epoch: number
  readonly agent: string
}

export type PlaceResult =
  | { ok: true; place: Place }
  | { ok: false; refusal: SessionRefusal | 'forbidden' | 'too_many_open' | 'too_fast' }

export interface ProgramSessions {
  /**
   * The place of a program's request: where it was raised before, in whichever life of the program's session, ended or
   * not; otherwise in its session as it is open now, which is begun or taken up for it.
   */
  placeOf(device: Device, request: { program: Program; requestId: string; cwd: string }): Promise<PlaceResult>
  /** The session of a program of this credential, ended or not. */
  find(device: Device, key: string): Promise<Session | undefined>
  /** Ends the session of a program of this credential. */
  leave(device: Device, key: string): void
}

/** Sessions of programs that raise asks and belong to no agent: one for each credential and key. */
export function createProgramSessions(deps: {
  readonly ledger: Ledger
  readonly store: Store
  readonly sessions: Sessions
  readonly programs: ProgramDriver
  readonly clock: Clock
}): ProgramSessions {
  const { ledger, store, sessions, programs } = deps
  const { driver } = programs
  const beginnings = createAskRate<DeviceId>(deps.clock, BEGINNINGS)

  async function find(device: Device, key: string): Promise<Session | undefined> {
    const id = sessionIdOf(device, key)
    return ledger.views().get(id)?.session ?? store.session(id)
  }

  async function placeBefore(session: Session, requestId: string): Promise<Place | undefined> {
    const { id: sessionId, epoch: last } = session
    for (let epoch = last; epoch > Math.max(0, last - FOUND_LIVES); epoch--) {
      if (await store.askByRequest({ sessionId, epoch, requestId })) return { sessionId, epoch, agent: driver.agent }
    }
    return undefined
  }

  /** A program that begins a session for each ask must not get around the limit of a session (F35). */
  function openOf(device: Device): number {
    const open = [...ledger.views().values()].flatMap(({ session, asks }) =>
      session.agent === driver.agent ? [...asks.values()] : [],
    )
    return open.filter(({ raisedBy }) => raisedBy === device.id).length
  }

  function begin(
    id: SessionId,
    isKnown: boolean,
    given: { title: string; cwd: string },
  ): Promise<SessionResult<Session>> {
    // A session that a person has ended stays so: its program is told.
    if (isKnown) return sessions.resume(id, { trusted: false, embedded: driver, unattended: true })
    return sessions.start({
      ...given,
      agent: driver.agent,
      embedded: driver,
      permissionMode: 'default',
      gate: 'default',
      trusted: false,
      ids: { session: id, message: idOfHash('itm', hashOf(id)) },
    })
  }

  return {
    async placeOf(device, { program: { key, title }, requestId, cwd }) {
      // A credential for some sessions must not get itself another one.
      if (device.sessionIds) return { ok: false, refusal: 'forbidden' }
      const id = sessionIdOf(device, key)
      const session = await find(device, key)
      const alive = ledger.views().get(id)?.session
      const before = session && (await placeBefore(session, requestId))
      if (before) return { ok: true, place: before }
      if (openOf(device) >= MAX_OPEN_ASKS) return { ok: false, refusal: 'too_many_open' }
      if (alive) return { ok: true, place: { sessionId: id, epoch: alive.epoch, agent: driver.agent } }
      if (!beginnings.take(device.id)) return { ok: false, refusal: 'too_fast' }
      const begun = await begin(id, session !== undefined, { title, cwd })
      // The same call came twice at once: the other one has begun it.
      const now = begun.ok ? begun.value : ledger.views().get(id)?.session
      if (now) return { ok: true, place: { sessionId: id, epoch: now.epoch, agent: driver.agent } }
      return { ok: false, refusal: begun.ok ? 'session_ended' : begun.refusal }
    },
    find,
    leave: (device, key) => programs.left(sessionIdOf(device, key)),
  }
}

function sessionIdOf(device: Device, key: string): SessionId {
  return idOfHash('ses', hashOf(`program\n${device.id}\n${key}`))
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
