import { Server, ServerOff } from 'lucide-react'
import { isAway, type KnownMachine } from '../machines/machine-of.ts'
import { VisibleText } from '../text/visible-text.tsx'

export interface MachineNameProps {
  readonly machine: KnownMachine
  /** Nothing happens there any more: it does not matter whether it can be reached. */
  readonly isOver?: boolean
  readonly className?: string
}

/** What a machine is called, and whether it can be reached. */
export function MachineName({ machine, isOver = false, className = '' }: MachineNameProps) {
  const away = isAway(machine) && !isOver
  const Icon = away ? ServerOff : Server
  return (
    <span
      className={`inline-flex min-w-0 items-center gap-1 ${away ? 'text-wait' : ''} ${className}`}
      title={away ? 'Its machine is not reachable' : 'The machine that it runs on'}
    >
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <span className="sr-only">on </span>
      <VisibleText text={machine.name} className="min-w-0 truncate" />
      {away && <span className="sr-only"> (not reachable)</span>}
    </span>
  )
}
