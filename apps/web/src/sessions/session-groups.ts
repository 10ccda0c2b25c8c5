import { projectName } from '@holdpoint/core/text/project-name'
import { type SessionStatus, statusOf } from '@holdpoint/react/ui/session-status'
import type { Session } from '@holdpoint/schema/session'

export interface SessionGroup {
  readonly projectId: string
  readonly name: string
  readonly sessions: readonly Session[]
}

const ORDER: Readonly<Record<SessionStatus, number>> = {
  frozen: 0,
  waiting: 1,
  'may-wait': 1,
  'your-turn': 2,
  parked: 2,
  working: 3,
  starting: 3,
  failed: 4,
  ended: 5,
}

/** By project; sessions that need an answer come first, then those that changed last. */
export function groupSessions(sessions: Iterable<Session>): readonly SessionGroup[] {
  const projects = new Map<string, Session[]>()
  for (const session of [...sessions].sort(byNeed)) {
    const group = projects.get(projectOf(session))
    if (group) group.push(session)
    else projects.set(projectOf(session), [session])
  }
  const names = [...projects.values()].map(([first]) => (first ? projectName(first) : ''))
  return [...projects].map(([projectId, members], index) => {
    const name = names[index] ?? ''
    const isTaken = names.indexOf(name) !== names.lastIndexOf(name)
    const [first] = members
    return { projectId, name: isTaken && first ? longName(first) : name, sessions: members }
  })
}

/** The first of a list that is in order of need: never fewer than need a person. */
export function firstRows(sessions: readonly Session[], most: number): readonly Session[] {
  const needed = sessions.findIndex((session) => ORDER[statusOf(session)] > ORDER.waiting)
  return sessions.slice(0, Math.max(most, needed < 0 ? sessions.length : needed))
}

export function isOver(session: Session): boolean {
  return session.state === 'dead'
}

/** Those that need an answer first, those that are over last; then by when they changed, newest first. */
export function byNeed(one: Session, other: Session): number {
  return ORDER[statusOf(one)] - ORDER[statusOf(other)] || other.stateChangedAt - one.stateChangedAt
}

/** All demo sessions together, though each has a folder of its own. */
export function projectOf(session: Session): string {
  return session.agent === 'demo' ? 'demo' : session.projectId
}

function longName(session: Session): string {
  return session.agent === 'demo' ? 'Demo' : session.cwd.split('/').filter(Boolean).slice(-2).join('/')
}
