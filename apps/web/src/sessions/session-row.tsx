import { isArchived } from '@holdpoint/core/archiving'
import { MachineName } from '@holdpoint/react/cards/machine-name'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { isAway } from '@holdpoint/react/machines/machine-of'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { StatusDot, statusOf, statusWords } from '@holdpoint/react/ui/session-status'
import type { Session } from '@holdpoint/schema/session'
import { memo } from 'react'
import { Link, useRoute } from 'wouter'
import { TerminalSign } from '../terminal/at-its-terminal.tsx'

/** One session in a list: what it is called, what it does, and how long it has been so. */
export const SessionRow = memo(function SessionRow({ session }: { session: Session }) {
  const path = `/sessions/${session.id}`
  const [current] = useRoute(`${path}/:view?`)
  const status = statusOf(session)
  const oldestAsk = useAsks(session.id)[0]?.raisedAt
  const isWaiting = status === 'waiting'
  const machine = useMachineOf(session)
  const isOver = session.state === 'dead'
  const gone = machine && !isOver && isAway(machine) ? machine : undefined
  // What it did when its machine was last heard of is no news.
  const isUnknown = gone !== undefined && !isWaiting
  return (
    <Link
      href={path}
      aria-current={current ? 'page' : undefined}
      className={`grid min-h-13 grid-cols-[0.75rem_1fr_auto] items-center gap-x-2.5 rounded-lg px-2.5 py-1.5 text-left transition-colors focus-visible:outline-2 focus-visible:outline-accent ${current ? 'bg-card shadow-card ring-1 ring-line' : 'hover:bg-card/70'}`}
    >
      <span className="flex justify-center">
        <StatusDot status={isUnknown ? 'ended' : status} />
      </span>
      <span className="truncate text-sm font-medium">
        <VisibleText text={session.title} />
      </span>
      {session.openAsks > 0 ? (
        <span className="rounded-full bg-wait-bg px-2 text-xs font-semibold text-wait tabular-nums">
          <span aria-hidden>{session.openAsks}</span>
        </span>
      ) : (
        <span />
      )}
      <span className={`col-start-2 col-end-4 truncate text-xs ${isWaiting ? 'text-wait' : 'text-quiet'}`}>
        {isUnknown ? 'not reachable' : statusWords(status)}
        {session.openAsks > 1 && <span className="sr-only"> ({session.openAsks} asks)</span>} ·{' '}
        <Age since={isWaiting && oldestAsk !== undefined ? oldestAsk : (gone?.heardAt ?? session.stateChangedAt)} />
        {isArchived(session) && ' · archived'}
        {session.attached && (
          <>
            {' · '}
            <TerminalSign />
          </>
        )}
        {machine && (
          <>
            {' · '}
            <MachineName machine={machine} isOver={isOver} className={`align-bottom ${gone ? '' : 'text-quiet'}`} />
          </>
        )}
      </span>
    </Link>
  )
})
