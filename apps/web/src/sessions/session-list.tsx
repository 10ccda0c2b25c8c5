import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { MoreButton } from '../parts/more-button.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { groupSessions, isOver, searchSessions } from './session-groups.ts'
import { SessionRow } from './session-row.tsx'
import { useCalmSessions } from './use-calm-sessions.ts'
import { type EarlierSessions, NAMED } from './use-earlier-sessions.ts'

const SEARCH_FROM = 8

export interface SessionListProps {
  /** How many of those that are over to show while nothing is searched for. */
  readonly endedLimit?: number
  /** Those that ended long ago, as far as they were read. Left out, the list links to the page that has them. */
  readonly earlier?: EarlierSessions
}

/** All sessions by project, those that wait on top. */
export function SessionList({ endedLimit = Number.POSITIVE_INFINITY, earlier }: SessionListProps) {
  const known = useCalmSessions()
  const [words, setWords] = useState('')
  const isSearch = words.trim() !== ''
  const read = earlier?.entries
  const { over, older } = useMemo(() => {
    const ids = new Set(known.map(({ id }) => id))
    return {
      over: known.filter(isOver).sort((one, other) => other.stateChangedAt - one.stateChangedAt),
      older: (read ?? []).filter(({ id }) => !ids.has(id)),
    }
  }, [known, read])
  const { groups, hidden } = useMemo(() => {
    if (isSearch) return { groups: groupSessions(searchSessions([...known, ...older], words)), hidden: 0 }
    const dropped = new Set(over.slice(endedLimit))
    return { groups: groupSessions(known.filter((session) => !dropped.has(session))), hidden: dropped.size }
  }, [known, over, older, isSearch, words, endedLimit])
  const mayBeMore = over.length >= NAMED && (earlier?.hasMore ?? true)

  return (
    <div className="flex flex-col gap-4">
      {known.length > SEARCH_FROM && (
        <SearchField words={words} onChange={setWords} label="Search sessions" placeholder="Search sessions" />
      )}
      {groups.map((group) => (
        <Section key={group.projectId} name={group.name} sessions={group.sessions} />
      ))}
      {!isSearch && older.length > 0 && <Section name="Earlier" sessions={older} />}
      {isSearch && groups.length === 0 && <p className="px-2.5 text-sm text-quiet">No session matches.</p>}
      {isSearch && mayBeMore && (
        <p className="px-2.5 text-xs text-quiet">
          {earlier ? 'Only the sessions loaded so far are searched.' : 'Sessions that ended long ago are not searched.'}
        </p>
      )}
      {earlier && mayBeMore && (
        <div className="flex flex-col items-start gap-2 px-2.5">
          <MoreButton {...earlier} words={isSearch ? 'Load earlier sessions' : 'Show earlier sessions'} />
        </div>
      )}
      {!earlier && (hidden > 0 || (isSearch && mayBeMore)) && (
        <Link
          href="/sessions"
          className="flex min-h-11 items-center rounded-md px-2.5 text-xs text-quiet underline underline-offset-2 pointer-fine:min-h-6 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          {isSearch ? 'All sessions' : `and ${mayBeMore ? 'at least ' : ''}${hidden} that ended earlier`}
        </Link>
      )}
    </div>
  )
}

function Section({ name, sessions }: { name: string; sessions: readonly Session[] }) {
  return (
    <section>
      <h2 className="mb-1 truncate px-2.5 text-xs font-semibold text-faint">
        <VisibleText text={name} code />
      </h2>
      <ul className="flex flex-col gap-0.5">
        {sessions.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} />
          </li>
        ))}
      </ul>
    </section>
  )
}
