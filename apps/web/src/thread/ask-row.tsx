import { SettledAskLine } from '@holdpoint/react/cards/ask-card-settled'
import { OutcomeRules } from '@holdpoint/react/cards/outcome-rules'
import type { Ask } from '@holdpoint/schema/ask'
import { ArrowDown } from 'lucide-react'

export interface AskRowProps {
  /** Missing while it is not known (yet). */
  readonly ask: Ask | undefined
  onGoToAsk(): void
}

/** The place of an ask in the thread: how it ended, or that it waits below. */
export function AskRow({ ask, onGoToAsk }: AskRowProps) {
  if (!ask) return <p className="text-[13px] text-faint">An ask</p>
  if (!ask.outcome) return <WaitingLine onGoToAsk={onGoToAsk} />
  return (
    <div className="text-[13px]">
      <SettledAskLine ask={ask} outcome={ask.outcome} />
      <OutcomeRules outcome={ask.outcome} className="pl-5.5" />
    </div>
  )
}

export function WaitingLine({ onGoToAsk }: { onGoToAsk: () => void }) {
  return (
    <button
      type="button"
      onClick={onGoToAsk}
      className="ml-6 flex min-h-11 items-center gap-1.5 rounded-md text-[13px] font-medium text-wait hover:underline focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-7"
    >
      Needs your answer
      <ArrowDown aria-hidden className="size-3.5" />
    </button>
  )
}
