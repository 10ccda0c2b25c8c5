import { LastHeard } from '@holdpoint/react/cards/last-heard'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { isAway } from '@holdpoint/react/machines/machine-of'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { ServerOff } from 'lucide-react'
import { Link } from 'wouter'

/** The machine of a session cannot be reached: what is shown may be old, and what can be done is little. */
export function AwayBanner({ session }: { session: Session }) {
  const machine = useMachineOf(session)
  if (!machine || !isAway(machine) || session.state === 'dead') return null
  return (
    <div className="shrink-0 border-b border-wait-line bg-wait-bg px-4 py-2.5 text-wait">
      <div className="mx-auto flex max-w-3xl items-start gap-3 text-sm">
        <ServerOff aria-hidden className="mt-0.5 size-4.5 shrink-0" />
        <div className="min-w-0 flex-1">
          <p>
            <strong className="font-semibold">
              Its machine, <VisibleText text={machine.name} className="wrap-anywhere" />, is not reachable.
            </strong>{' '}
            <LastHeard machine={machine} />
          </p>
          <p className="text-[13px]">
            What its agent does there is not known. Messages are recorded now, and delivered when it is back.{' '}
            <Link
              href="/machines"
              className="underline underline-offset-2 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
            >
              Machines
            </Link>
          </p>
        </div>
      </div>
    </div>
  )
}
