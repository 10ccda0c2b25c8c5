import { render } from '@holdpoint/core/text/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { Bot, Clock } from 'lucide-react'
import { useId } from 'react'
import type { KnownMachine } from '../machines/machine-of.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { duration } from '../time/ago.ts'
import { useNow } from '../time/now.tsx'
import { Chip } from '../ui/chip.tsx'
import { StatusDot } from '../ui/session-status.tsx'
import type { CardSelection } from './ask-card.tsx'
import { CallFolder } from './call-folder.tsx'
import { MachineName } from './machine-name.tsx'

interface CardMetaProps {
  readonly ask: Ask
  /** Left out where the card stands under its name. */
  readonly session: Session | undefined
  /** Left out where the card stands under its session's name, or there is one machine. */
  readonly machine: KnownMachine | undefined
  readonly sessionCwd: string | undefined
  readonly now: number | undefined
  readonly selection: CardSelection | undefined
}

/** Whose ask it is and how long it waits. In two rows on a phone: who and when, then where. */
export function CardMeta({ ask, session, machine, sessionCwd, now, selection }: CardMetaProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 px-4 pt-3 text-[13px] text-quiet">
      {selection ? <SelectBox selection={selection} /> : <StatusDot status="waiting" />}
      {session && <VisibleText text={session.title} className="min-w-0 shrink truncate font-medium text-ink" />}
      <span
        className={`flex min-w-0 flex-wrap items-center gap-x-2 ${session ? `order-3 basis-full sm:order-none sm:basis-auto sm:pl-0 ${selection ? 'pl-6.5' : 'pl-4'}` : 'shrink'}`}
      >
        {machine && <MachineName machine={machine} />}
        <CallFolder cwd={ask.context.cwd} sessionCwd={sessionCwd} />
        {ask.raisedBy === undefined && ask.subagent !== undefined && (
          <span title={render(ask.subagent)} className="flex min-w-0">
            <Chip>
              <Bot aria-hidden className="size-3 shrink-0" />
              <span className="sr-only">subagent </span>
              <VisibleText text={ask.subagentName ?? ask.subagent} className="truncate" />
            </Chip>
          </span>
        )}
      </span>
      <span className="ml-auto flex shrink-0 items-center gap-1 tabular-nums">
        {now === undefined ? <LiveTimes ask={ask} /> : <Times ask={ask} now={now} />}
      </span>
    </div>
  )
}

function LiveTimes({ ask }: { ask: Ask }) {
  return <Times ask={ask} now={useNow()} />
}

const SOON_MS = 60_000

function Times({ ask, now }: { ask: Ask; now: number }) {
  const left = ask.expiresAt === undefined ? undefined : ask.expiresAt - now
  return (
    <>
      <time dateTime={new Date(ask.raisedAt).toISOString()} title={`Asked ${new Date(ask.raisedAt).toLocaleString()}`}>
        <span className="max-sm:hidden">asked </span>
        {duration(now - ask.raisedAt)} ago
      </time>
      {left !== undefined && (
        <span
          title={`Expires ${new Date(ask.expiresAt ?? 0).toLocaleString()}`}
          className={`flex items-center gap-1 ${left < SOON_MS ? 'font-medium text-wait' : ''}`}
        >
          <span aria-hidden>·</span>
          <Clock aria-hidden className="size-3.5" />
          {left > 0 ? `${duration(left)} left` : 'time is up'}
        </span>
      )}
    </>
  )
}

function SelectBox({ selection }: { selection: CardSelection }) {
  const why = useId()
  return (
    <label className="-m-3.25 flex items-center p-3.25 pointer-fine:-m-2 pointer-fine:p-2" title={selection.off}>
      <input
        type="checkbox"
        aria-label="Select this ask"
        aria-describedby={selection.off === undefined ? undefined : why}
        checked={selection.selected}
        disabled={selection.off !== undefined}
        onChange={(event) => selection.onChange(event.target.checked)}
        className="size-4.5 accent-accent"
      />
      {selection.off !== undefined && (
        <span id={why} className="sr-only">
          {selection.off}
        </span>
      )}
    </label>
  )
}
