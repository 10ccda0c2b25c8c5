import { useMachines } from '@holdpoint/react/hooks/use-machines'
import { isCutOff } from '@holdpoint/react/machines/machine-of'
import { DatabaseZap } from 'lucide-react'

/** Says that the gateway has lost the database that it shares with others: it shows what it has, and records nothing. */
export function DatabaseBar() {
  const machines = useMachines()
  if (!machines || !isCutOff(machines)) return null
  return (
    <div
      role="status"
      className="flex min-h-9 items-center gap-2.5 border-b border-wait-line bg-wait-bg px-4 py-1.5 text-[13px] text-wait desk:px-8"
    >
      <DatabaseZap aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">The gateway cannot reach its database.</strong> No answer can be recorded, and
        agents wait. What you see may be old. It goes on by itself when the database is back.
      </p>
    </div>
  )
}
