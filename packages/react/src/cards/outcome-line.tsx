import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { VisibleText } from '../text/visible-text.tsx'
import { Age } from '../time/age.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { OutcomeRules } from './outcome-rules.tsx'
import { deciderWords, outcomeWords } from './outcome-words.ts'
import { ReasonText } from './reason-text.tsx'

export interface OutcomeLineProps {
  readonly ask: Ask
  readonly outcome: Outcome
}

/** How an ask ended, for a place that says beside it what was asked. */
export function OutcomeLine({ ask, outcome }: OutcomeLineProps) {
  const words = outcomeWords(ask, outcome)
  const decider = deciderWords(outcome)
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-[13px] text-quiet">
      <OutcomeMark words={words} />
      {words.detail !== undefined && (
        <span className="min-w-0 wrap-anywhere">
          {outcome.via === 'rule' ? <ReasonText text={words.detail} /> : <VisibleText text={words.detail} multiline />}
        </span>
      )}
      {words.caveat !== undefined && <span className="text-wait">{words.caveat}</span>}
      <span className="min-w-0 truncate text-xs text-faint">
        {decider !== undefined && (
          <>
            <VisibleText text={decider} /> ·{' '}
          </>
        )}
        <Age since={outcome.at} suffix=" ago" />
      </span>
      <OutcomeRules outcome={outcome} />
    </div>
  )
}
