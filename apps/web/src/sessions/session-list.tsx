import { type KnownMachine, machineOf } from '@holdpoint/react/machines/machine-of'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { machineOptions } from '../machines/machine-words.ts'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { FilterSelect } from '../parts/filter-select.tsx'
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
  const all = useCalmSessions()
  const [words, setWords] = useState('')
  const isSearch = words.trim() !== ''
  const machines = useSeveralMachines()
  const [machineId, setMachineId] = useState('')
  const read = earlier?.entries
  const known = useMemo(() => all.filter(isOn(machines, machineId)), [all, machines, machineId])
  const { over, older } = useMemo(() => {
    const ids = new Set(known.map(({ id }) => id))
    return {
      over: known.filter(isOver).sort((one, other) => other.stateChangedAt - one.stateChangedAt),
      older: (read ?? []).filter(isOn(machines, machineId)).filter(({ id }) => !ids.has(id)),
    }
  }, [known, read, machines, machineId])
  const { groups, hidden } = useMemo(() => {
    if (isSearch) return { groups: groupSessions(searchSessions([...known, ...older], words)), hidden: 0 }
    const dropped = new Set(over.slice(endedLimit))
    return { groups: groupSessions(known.filter((session) => !dropped.has(session))), hidden: dropped.size }
  }, [known, over, older, isSearch, words, endedLimit])
  const mayBeMore = over.length >= NAMED && (earlier?.hasMore ?? true)

  return (
    <div className="flex flex-col gap-4">
      {machines.length > 0 && all.length > 0 && (
        <FilterSelect
          label="Filter sessions by machine"
          any="Any machine"
          options={machineOptions(machines)}
          value={machineId}
          onChange={setMachineId}
        />
      )}
      {all.length > SEARCH_FROM && (
        <SearchField words={words} onChange={setWords} label="Search sessions" placeholder="Search sessions" />
      )}
      {groups.map((group) => (
        <Section key={group.projectId} name={group.name} sessions={group.sessions} />
      ))}
      {!isSearch && older.length > 0 && <Section name="Earlier" sessions={older} />}
      {!isSearch && machineId !== '' && groups.length === 0 && older.length === 0 && (
        <p className="px-2.5 text-sm text-quiet">No session on this machine.</p>
      )}
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

/** Whether a session is on the machine that was chosen, if one was. */
function isOn(machines: readonly KnownMachine[], machineId: string) {
  return (session: Session) => machineId === '' || machineOf(machines, session)?.id === machineId
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
