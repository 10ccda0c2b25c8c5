import { isArchived } from '@holdpoint/core/archiving'
import type { Ledger } from '@holdpoint/core/ledger'
import type { Sessions } from '@holdpoint/core/sessions'
import type { SessionPage, SessionQuery } from '@holdpoint/core/store'
import { sessionMatcher } from '@holdpoint/core/text/session-search'
import { unlessDamaged } from '@holdpoint/core/unless-damaged'
import type { Device } from '@holdpoint/schema/device'
import { sessionEndpoints } from '@holdpoint/schema/endpoints/sessions'
import type { Session } from '@holdpoint/schema/session'
import { sees } from '../auth/devices.ts'
import type { Services } from '../services/services.ts'
import { type Route, route } from '../transport/route.ts'

const MEMORY_DEADLINE_MS = 500

/** The sessions that a credential may see, those that have ended page by page. */
export function sessionListRoute({ sessions, store, ledger }: Pick<Services, 'sessions' | 'store' | 'ledger'>): Route {
  async function endedSessions(device: Device, query: SessionQuery): Promise<SessionPage> {
    if (!device.sessionIds) return store.endedSessions(query)
    // A narrow credential names its sessions, so they are few: others' are not even read.
    const own =
      query.before === undefined
        ? await Promise.all(device.sessionIds.map((id) => unlessDamaged(store.session(id))))
        : []
    const { projectId, fits = () => true } = query
    const isWanted = (session: Session) =>
      session.state === 'dead' && (projectId === undefined || session.projectId === projectId) && fits(session)
    return { sessions: own.flatMap((session) => (session && isWanted(session) ? [session] : [])) }
  }

  return route(sessionEndpoints.list, {
    action: 'read-sessions',
    async handle({ device, query }) {
      const { state, project, limit, before } = query
      const fits = fitsOf(query)
      const alive = (before === undefined ? aliveSessions(ledger) : []).filter(
        (session) =>
          sees(device, session.id) &&
          (!state || state === 'alive' || session.state === state) &&
          (!project || session.projectId === project) &&
          (!fits || fits(session)),
      )
      const page = {
        limit,
        ...(fits && { fits }),
        ...(before !== undefined && { before }),
        ...(project && { projectId: project }),
      }
      const wantsEnded = state === undefined || state === 'dead'
      const ended: SessionPage = wantsEnded ? await endedSessions(device, page) : { sessions: [] }
      const running = await Promise.all(alive.map((session) => withMemory(sessions, session)))
      return { status: 200, body: { ...ended, sessions: [...running, ...ended.sessions] } }
    },
  })
}

/** Newest first. */
export function aliveSessions(ledger: Ledger): Session[] {
  const alive = [...ledger.views().values()].map(({ session }) => session)
  return alive.sort((a, b) => b.stateChangedAt - a.stateChangedAt || (a.id < b.id ? 1 : -1))
}

export async function withMemory(sessions: Sessions, session: Session): Promise<Session> {
  if (session.state === 'dead') return session
  const memoryBytes = await Promise.race([
    sessions.memoryBytes(session.id).catch(() => undefined),
    later(MEMORY_DEADLINE_MS),
  ])
  return memoryBytes === undefined ? session : { ...session, memoryBytes }
}

interface Narrowing {
  readonly search?: string | undefined
  readonly archived?: 'true' | 'false' | undefined
}

/** What a list is narrowed down to beside its project, if it is. */
function fitsOf({ search = '', archived }: Narrowing): ((session: Session) => boolean) | undefined {
  if (search.trim() === '' && archived === undefined) return undefined
  const matches = sessionMatcher(search)
  return (session) => (archived === undefined || isArchived(session) === (archived === 'true')) && matches(session)
}

function later(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, ms, undefined).unref())
}
