import { ExternalLink, ServerOff, SquareTerminal } from 'lucide-react'
import { addressOn, isAway, type KnownMachine } from '../machines/machine-of.ts'
import { awayWords, isTyped } from '../machines/yes-needs-machine.ts'
import { VisibleText } from '../text/visible-text.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { LastHeard } from './last-heard.tsx'

/** What the agent's machine means for an answer; nothing where it is as good as this one. */
export function MachineLine({ card: { ask, machine, now } }: { card: OpenCardProps }) {
  if (!machine || machine.isThis) return null
  if (isAway(machine)) {
    return (
      <div className="mx-4 mt-2.5 flex gap-2 rounded-lg bg-wait-bg px-3 py-2 text-[13px] text-wait">
        <ServerOff aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0">
          <p className="font-medium">
            Its machine, <VisibleText text={machine.name} className="wrap-anywhere" />, is not reachable.{' '}
            <span className="font-normal">
              <LastHeard machine={machine} now={now} />
            </span>
          </p>
          <p>{awayWords(ask)}</p>
        </div>
      </div>
    )
  }
  if (!isTyped(ask.agent)) return null
  return (
    <div className="mx-4 mt-2.5 flex gap-2 rounded-lg bg-panel px-3 py-2 text-[13px] text-quiet">
      <SquareTerminal aria-hidden className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0">
        <TerminalElsewhere machine={machine} sessionId={ask.sessionId} />
      </p>
    </div>
  )
}

/** Where a terminal that is not on this machine can be looked at. */
export function TerminalElsewhere({ machine, sessionId }: { machine: KnownMachine; sessionId: string }) {
  const address = addressOn(machine, `/sessions/${encodeURIComponent(sessionId)}`)
  return (
    <>
      Its terminal is on <VisibleText text={machine.name} className="font-medium wrap-anywhere" /> and can be watched
      only there.{' '}
      {address === undefined ? (
        <>
          That gateway does not say where browsers can reach it: start it with <code>--advertise URL</code>.
        </>
      ) : (
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          className="font-medium whitespace-nowrap text-accent underline underline-offset-2 focus-visible:outline-2 focus-visible:outline-accent"
        >
          Open it there
          <ExternalLink aria-hidden className="ml-1 inline size-3.5 align-[-2px]" />
          <span className="sr-only"> (new tab)</span>
        </a>
      )}
    </>
  )
}
