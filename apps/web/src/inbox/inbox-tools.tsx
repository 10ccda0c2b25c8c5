import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Button } from '@holdpoint/react/ui/button'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { ListFilter } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useId, useMemo, useState } from 'react'
import { machineOptions } from '../machines/machine-words.ts'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { FilterSelect } from '../parts/filter-select.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { type AskFilter, choicesOf, type FilterChoices } from './ask-filter.ts'
import type { InboxSort } from './placing.ts'

interface InboxToolsProps {
  readonly filter: AskFilter
  readonly sort: InboxSort
  readonly search: RefObject<HTMLInputElement | null>
  onFilter(filter: AskFilter): void
  onSort(sort: InboxSort): void
  /** Escape in the field: the words stay, the focus goes to what they have found. */
  onLeave(): void
}

const SORTS: readonly { readonly value: InboxSort; readonly label: string }[] = [
  { value: 'session', label: 'By session' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'newest', label: 'Newest first' },
]

/** What narrows the inbox down, and its order. On a phone all but the words is behind a button. */
export function InboxTools({ filter, sort, search, onFilter, onSort, onLeave }: InboxToolsProps) {
  const choices = useChoices(filter)
  const machines = useSeveralMachines()
  const hasMachines = machines.length > 0
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const { words, ...rest } = filter
  const count = Object.values(rest).filter((value) => value !== '').length
  const select = (name: keyof FilterChoices) => ({
    options: choices[name],
    value: filter[name],
    onChange: (value: string) => onFilter({ ...filter, [name]: value }),
  })
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    // The browser would empty the field.
    event.preventDefault()
    onLeave()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key belongs to the field inside.
    <div
      onKeyDown={onKeyDown}
      className={`grid grid-cols-[minmax(0,1fr)_auto] gap-2 sm:grid-cols-5 ${hasMachines ? '' : 'lg:grid-cols-[1.7fr_repeat(5,minmax(0,1fr))]'}`}
    >
      <div className={`sm:col-span-5 ${hasMachines ? '' : 'lg:col-span-1'}`}>
        <SearchField
          ref={search}
          words={words}
          onChange={(text) => onFilter({ ...filter, words: text })}
          label="Filter by words"
          placeholder="Filter"
          shortcut="/"
        />
      </div>
      <Button
        icon={ListFilter}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="sm:hidden"
      >
        {count === 0 ? 'More' : `More (${count})`}
      </Button>
      <div
        id={id}
        className={`col-span-2 grid grid-cols-2 gap-2 sm:col-span-5 ${hasMachines ? 'sm:grid-cols-3 lg:grid-cols-6' : 'sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] lg:grid-cols-5'} ${isOpen ? '' : 'max-sm:hidden'}`}
      >
        <FilterSelect label="Project" any="Any project" {...select('project')} />
        {hasMachines && (
          <FilterSelect
            label="Machine"
            any="Any machine"
            options={machineOptions(machines)}
            value={filter.machine}
            onChange={(machine) => onFilter({ ...filter, machine })}
          />
        )}
        <FilterSelect label="Session" any="Any session" {...select('session')} />
        <FilterSelect label="Kind" any="Any kind" {...select('kind')} />
        <FilterSelect label="Tool" any="Any tool" {...select('tool')} />
        <select
          aria-label="Order"
          value={sort}
          onChange={(event) => onSort(event.target.value as InboxSort)}
          className="min-h-11 w-full min-w-0 truncate rounded-lg border border-line bg-card px-2 text-base text-quiet focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8.5 pointer-fine:text-sm"
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

function useChoices(filter: AskFilter): FilterChoices {
  const asks = useAsks()
  const sessions = useGateway(
    (state) => new Map(asks.flatMap(({ sessionId }) => entryOf(state.sessions, sessionId))),
    sameNames,
  )
  return useMemo(() => choicesOf(asks, sessions, filter), [asks, sessions, filter])
}

type Sessions = ReadonlyMap<SessionId, Session>

function entryOf(sessions: Sessions, id: SessionId): readonly (readonly [SessionId, Session])[] {
  const session = sessions.get(id)
  return session ? [[id, session]] : []
}

/** What else changes of a session is not in a list of names. */
function sameNames(before: Sessions, after: Sessions): boolean {
  return before.size === after.size && [...after].every(([id, { title }]) => before.get(id)?.title === title)
}
