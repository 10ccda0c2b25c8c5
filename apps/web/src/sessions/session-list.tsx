import { isArchived } from '@holdpoint/core/archiving'
import { type KnownMachine, machineOf } from '@holdpoint/react/machines/machine-of'
import type { Session } from '@holdpoint/schema/session'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { machineOptions } from '../machines/machine-words.ts'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { FilterSelect } from '../parts/filter-select.tsx'
import { usePreferences } from '../parts/preferences.ts'
import { SearchField } from '../parts/search-field.tsx'
import { useSettled } from '../parts/use-settled.ts'
import { type ListView, ListViews } from './list-views.tsx'
import { byNeed, isOver } from './session-groups.ts'
import { SessionPages } from './session-pages.tsx'
import { useCalmSessions } from './use-calm-sessions.ts'
import { NAMED } from './use-earlier-sessions.ts'

const SEARCH_FROM = 8

export interface SessionListProps {
  /** How many of those that are over to show while nothing is searched for, with a link to the page that has all, and the archive. */
  readonly endedLimit?: number
  /** What is searched for to begin with. */
  readonly search?: string
}

/** All sessions by project, those that wait on top. What is searched for is searched among all that there are. */
export function SessionList({ endedLimit, search = '' }: SessionListProps) {
  const all = useCalmSessions()
  const { hideEnded } = usePreferences()
  const [words, setWords] = useState(search)
  const settled = useSettled(words.trim())
  const isSearch = words.trim() !== ''
  const machines = useSeveralMachines()
  const [machineId, setMachineId] = useState('')
  const [view, setView] = useState<ListView>('current')
  const isPage = endedLimit === undefined
  const isOnMachine = useMemo(() => isOn(machines, machineId), [machines, machineId])
  const isKnown = useMemo(() => {
    const ids = new Set(all.map(({ id }) => id))
    return ({ id }: Session) => ids.has(id)
  }, [all])
  const { listed, hidden } = useMemo(() => {
    const known = all.filter(isOnMachine).sort(byNeed)
    if (isSearch) return { listed: known, hidden: 0 }
    const wanted = known.filter((session) => isArchived(session) === (view === 'archived'))
    const limit = hideEnded && view === 'current' ? 0 : (endedLimit ?? Number.POSITIVE_INFINITY)
    const over = wanted.filter(isOver).sort((one, other) => other.stateChangedAt - one.stateChangedAt)
    const dropped = new Set(over.slice(limit))
    return { listed: wanted.filter((session) => !dropped.has(session)), hidden: dropped.size }
  }, [all, isOnMachine, isSearch, view, hideEnded, endedLimit])

  return (
    <div className="flex flex-col gap-4">
      {/* On its page the rows reach further out than the title, for what marks them. */}
      <div className={`flex flex-col gap-4 empty:hidden ${isPage ? 'px-2.5' : ''}`}>
        {(isPage || all.length > SEARCH_FROM) && (
          <SearchField words={words} onChange={setWords} label="Search sessions" placeholder="Search sessions" />
        )}
        {machines.length > 0 && all.length > 0 && (
          <FilterSelect
            label="Filter sessions by machine"
            any="Any machine"
            options={machineOptions(machines)}
            value={machineId}
            onChange={setMachineId}
          />
        )}
        {isPage && !isSearch && <ListViews view={view} onView={setView} />}
      </div>
      <SessionPages
        // What was read from the gateway is for this search and this view alone.
        key={`${view} ${isSearch ? settled : ''}`}
        known={listed}
        isKnown={isKnown}
        words={words}
        search={isSearch ? settled : ''}
        isOnMachine={isOnMachine}
        view={view}
        hasEarlier={isPage && (view === 'archived' || (!hideEnded && all.filter(isOver).length >= NAMED))}
      />
      {!isPage && !isSearch && all.length > 0 && (
        <Link
          href="/sessions"
          className="flex min-h-11 items-center rounded-md px-2.5 text-xs text-quiet underline underline-offset-2 pointer-fine:min-h-6 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          {hidden === 0
            ? 'All sessions'
            : `and ${hidden + (endedLimit ?? 0) >= NAMED ? 'at least ' : ''}${hidden} that ended${hideEnded ? '' : ' earlier'}`}
        </Link>
      )}
    </div>
  )
}

/** Whether a session is on the machine that was chosen, if one was. */
function isOn(machines: readonly KnownMachine[], machineId: string) {
  return (session: Session) => machineId === '' || machineOf(machines, session)?.id === machineId
}
