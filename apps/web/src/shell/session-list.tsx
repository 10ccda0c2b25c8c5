import { VisibleText } from '@holdpoint/react/visible-text'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { groupSessions, isOver, searchSessions } from './session-groups.ts'
import { SessionRow } from './session-row.tsx'
import { useCalmSessions } from './use-calm-sessions.ts'

const SEARCH_FROM = 8

export interface SessionListProps {
  /** How many of those that are over to show while nothing is searched for. */
  readonly endedLimit?: number
}

/** All sessions by project, those that wait on top. */
export function SessionList({ endedLimit = Number.POSITIVE_INFINITY }: SessionListProps) {
  const all = useCalmSessions()
  const [words, setWords] = useState('')
  const { groups, hidden } = useMemo(() => {
    if (words.trim() !== '') return { groups: groupSessions(searchSessions(all, words)), hidden: 0 }
    const over = all.filter(isOver).sort((one, other) => other.stateChangedAt - one.stateChangedAt)
    const dropped = new Set(over.slice(endedLimit))
    return { groups: groupSessions(all.filter((session) => !dropped.has(session))), hidden: dropped.size }
  }, [all, words, endedLimit])

  return (
    <div className="flex flex-col gap-4">
      {all.length > SEARCH_FROM && (
        <div className="relative">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
          />
          <input
            type="search"
            value={words}
            onChange={(event) => setWords(event.target.value)}
            placeholder="Search sessions"
            aria-label="Search sessions"
            className="min-h-11 w-full rounded-lg border border-line bg-card pr-2 pl-8.5 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8.5 pointer-fine:text-sm"
          />
        </div>
      )}
      {groups.map((group) => (
        <section key={group.projectId}>
          <h2 className="mb-1 truncate px-2.5 text-xs font-semibold text-faint">
            <VisibleText text={group.name} />
          </h2>
          <ul className="flex flex-col gap-0.5">
            {group.sessions.map((session) => (
              <li key={session.id}>
                <SessionRow session={session} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {words.trim() !== '' && groups.length === 0 && <p className="px-2.5 text-sm text-quiet">No session matches.</p>}
      {hidden > 0 && (
        <Link
          href="/sessions"
          className="flex min-h-11 items-center rounded-md px-2.5 text-xs text-faint pointer-fine:min-h-6 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          and {hidden} that ended earlier
        </Link>
      )}
    </div>
  )
}
