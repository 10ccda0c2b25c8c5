import { TerminalElsewhere } from '@holdpoint/react/cards/machine-line'
import { useMachines } from '@holdpoint/react/hooks/use-machines'
import { isAway, machineOf } from '@holdpoint/react/machines/machine-of'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { ServerOff, SquareTerminal } from 'lucide-react'
import { Skeleton } from '../parts/skeleton.tsx'
import { TerminalPane } from './terminal-pane.tsx'

/** The terminal of a session, or where it is: screens stay with their machine. */
export function TerminalPlace({ session }: { session: Session }) {
  const machines = useMachines()
  // Its last screen is kept with the session, for every machine to show.
  if (session.state === 'dead') return <TerminalPane key={session.epoch} sessionId={session.id} />
  if (session.node !== undefined && !machines) return <Skeleton rows={1} className="h-12" />
  const machine = machineOf(machines ?? [], session)
  if (!machine || machine.isThis) return <TerminalPane key={session.epoch} sessionId={session.id} />
  const away = isAway(machine)
  const Icon = away ? ServerOff : SquareTerminal
  return (
    <section aria-label="Terminal" className="flex min-h-0 flex-1 items-center justify-center px-6 py-8">
      <div className="flex max-w-96 flex-col items-center gap-3 text-center text-sm text-quiet">
        <Icon aria-hidden className="size-7 text-faint" />
        <p className="text-balance">
          {away ? (
            <>
              Its terminal is on <VisibleText text={machine.name} className="font-medium wrap-anywhere" />, which is not
              reachable.
            </>
          ) : (
            <TerminalElsewhere machine={machine} sessionId={session.id} />
          )}
        </p>
        <p className="text-balance">What its program asks is shown here, and can be answered here.</p>
      </div>
    </section>
  )
}
