import { sessionMatcher } from '@holdpoint/core/text/session-search'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { memo, useEffect, useMemo, useState } from 'react'
import { MoreButton } from '../parts/more-button.tsx'
import type { ListView } from './list-views.tsx'
import { firstRows, groupSessions, type SessionGroup } from './session-groups.ts'
import { SessionRow } from './session-row.tsx'
import { useEarlierSessions } from './use-earlier-sessions.ts'

/** Rows of one page. A list of thousands shows the first of them, and more by a press. */
const PAGE = 100

interface SessionPagesProps {
  /** Those that the client has. */
  readonly known: readonly Session[]
  /** Whether the client has a session, listed here or not. */
  readonly isKnown: (session: Session) => boolean
  /** As they are typed. */
  readonly words: string
  /** As the gateway searches for them, once they stay the same for a moment. */
  readonly search: string
  readonly isOnMachine: (session: Session) => boolean
  readonly view: ListView
  /** Whether more have ended than the client has. */
  readonly hasEarlier: boolean
}

/** Sessions by project, page by page: first those that the client has, then those that the gateway has. */
export function SessionPages({ known, isKnown, words, search, isOnMachine, view, hasEarlier }: SessionPagesProps) {
  const earlier = useEarlierSessions(search === '' ? { archived: view === 'archived' ? 'true' : 'false' } : { search })
  const [most, setMost] = useState(PAGE)
  const isSearch = words.trim() !== ''
  const readsAtOnce = search !== '' || view === 'archived'
  const { entries, loadMore, isLoading } = earlier
  // Once: what else is read is read by a press.
  useEffect(() => {
    if (readsAtOnce) loadMore()
  }, [])
  const older = useMemo(
    () => (isSearch || hasEarlier ? entries.filter((session) => !isKnown(session) && isOnMachine(session)) : []),
    [entries, isKnown, isOnMachine, isSearch, hasEarlier],
  )
  const { groups, isCut } = useMemo(() => {
    const isMerged = isSearch || view === 'archived'
    const found = (isMerged ? [...known, ...older] : known).filter(sessionMatcher(words))
    const rows = firstRows(found, most)
    const groups = groupSessions(rows)
    const isCut = rows.length < found.length
    // What ended long ago comes last: each press adds to the end.
    const long = isMerged || isCut ? [] : older.slice(0, most - rows.length)
    const last: SessionGroup[] = long.length > 0 ? [{ projectId: 'earlier', name: 'Earlier', sessions: long }] : []
    return { groups: [...groups, ...last], isCut: isCut || (!isMerged && long.length < older.length) }
  }, [known, older, words, isSearch, view, most])
  const isReading = isSearch ? isLoading || search !== words.trim() : isLoading
  const mayBeMore = earlier.hasMore && (isSearch ? search !== '' : hasEarlier)

  function showMore() {
    setMost(most + PAGE)
    if (!isCut) loadMore()
  }
  return (
    <>
      {groups.map((group) => (
        <Section key={group.projectId} group={group} />
      ))}
      {groups.length === 0 && !isReading && <p className="px-2.5 text-sm text-quiet">{emptyWords(isSearch, view)}</p>}
      {isSearch && (
        <p role="status" className="px-2.5 text-xs text-quiet empty:hidden">
          {isReading
            ? 'Searching all sessions…'
            : mayBeMore && 'Sessions that ended before these have not been searched yet.'}
        </p>
      )}
      {(isCut || (mayBeMore && !isReading) || earlier.error !== undefined) && (
        <div className="flex flex-col items-start gap-2 px-2.5">
          <MoreButton
            {...earlier}
            hasMore={isCut || mayBeMore}
            loadMore={showMore}
            words={isCut ? 'Show more sessions' : isSearch ? 'Search further back' : 'Show earlier sessions'}
          />
        </div>
      )}
    </>
  )
}

function emptyWords(isSearch: boolean, view: ListView): string {
  if (isSearch) return 'No session matches. Titles, folders and agents are searched.'
  return view === 'archived' ? 'Nothing is archived.' : 'No session to show here.'
}

const Section = memo(function Section({ group: { name, sessions } }: { group: SessionGroup }) {
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
})
