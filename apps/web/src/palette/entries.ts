import { isArchived } from '@holdpoint/core/archiving'
import { projectName } from '@holdpoint/core/text/project-name'
import { statusOf } from '@holdpoint/react/ui/session-status'
import type { Session } from '@holdpoint/schema/session'
import { FileDiff, Folder, type LucideIcon, MessagesSquare, Plus } from 'lucide-react'
import { INBOX, morePlaces } from '../parts/places.ts'
import { byNeed, groupSessions, isOver } from '../sessions/session-groups.ts'
import type { Ranked } from './rank.ts'

interface Target extends Ranked {
  readonly key: string
  /** Where it leads to. */
  readonly path: string
}
interface SessionEntry extends Target {
  readonly kind: 'session'
  readonly session: Session
  readonly project: string
}
interface OtherEntry extends Target {
  readonly kind: 'project' | 'page'
  readonly name: string
  readonly icon: LucideIcon
}
export type PaletteEntry = SessionEntry | OtherEntry

interface Scope {
  readonly isOwner: boolean
  readonly hasMachines: boolean
  /** Whose page is open. */
  readonly openSession: Session | undefined
}

/** Sessions that run, in order of need; pages; projects; then the sessions that are over or put away, newest first. */
export function paletteEntries(sessions: readonly Session[], scope: Scope): readonly PaletteEntry[] {
  const entries = [...sessions].sort(byNeed).map(sessionEntry)
  const isPast = ({ session }: SessionEntry) => isOver(session) || isArchived(session)
  return [
    ...entries.filter((entry) => !isPast(entry)),
    ...pageEntries(scope),
    ...projectEntries(sessions),
    ...entries.filter(isPast),
  ]
}

/** The page of all sessions, with these words in its search. */
export function searchPath(words: string): string {
  return `/sessions?${new URLSearchParams({ search: words })}`
}

function sessionEntry(session: Session): SessionEntry {
  const project = projectName(session)
  const status = statusOf(session)
  return {
    kind: 'session',
    key: session.id,
    names: [session.title.toLowerCase(), project.toLowerCase()],
    path: `/sessions/${session.id}`,
    isWaiting: status === 'waiting' || status === 'may-wait' || status === 'frozen',
    session,
    project,
  }
}

function pageEntries({ isOwner, hasMachines, openSession }: Scope): readonly OtherEntry[] {
  const pages = [
    ...(openSession && !openSession.deleted
      ? [{ path: `/sessions/${openSession.id}/changes`, name: 'Changed files of this session', icon: FileDiff }]
      : []),
    INBOX,
    { path: '/sessions', name: 'Sessions', icon: MessagesSquare },
    ...(isOwner ? [{ path: '/new', name: 'New session', icon: Plus }] : []),
    ...morePlaces({ isOwner, hasMachines }),
  ]
  return pages.map(({ path, name, icon }) => ({
    kind: 'page',
    key: path,
    names: [name.toLowerCase()],
    path,
    name,
    icon,
  }))
}

function projectEntries(sessions: readonly Session[]): readonly OtherEntry[] {
  return groupSessions(sessions).map(({ projectId, name }) => ({
    kind: 'project',
    key: `project ${projectId}`,
    names: [name.toLowerCase()],
    path: searchPath(name),
    name,
    icon: Folder,
  }))
}
