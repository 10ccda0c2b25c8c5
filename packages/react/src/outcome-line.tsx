import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { Check, CircleSlash, X } from 'lucide-react'
import { Age } from './age.tsx'
import { deciderWords, type OutcomeWords, outcomeWords } from './cards/outcome-words.ts'
import { VisibleText } from './visible-text.tsx'

const ICONS: Readonly<Record<OutcomeWords['tone'], typeof Check>> = { allow: Check, deny: X, plain: CircleSlash }
const LOOKS: Readonly<Record<OutcomeWords['tone'], string>> = {
  allow: 'text-allow',
  deny: 'text-deny',
  plain: 'text-quiet',
}

export interface OutcomeLineProps {
  readonly ask: Ask
  readonly outcome: Outcome
}

/** How an ask ended, for a place that says beside it what was asked. */
export function OutcomeLine({ ask, outcome }: OutcomeLineProps) {
  const words = outcomeWords(ask, outcome)
  const decider = deciderWords(outcome)
  const Icon = ICONS[words.tone]
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-[13px] text-quiet">
      <span className={`inline-flex shrink-0 items-center gap-1.5 font-medium ${LOOKS[words.tone]}`}>
        <Icon aria-hidden className="size-4" />
        {words.what}
      </span>
      {words.detail !== undefined && (
        <span className="min-w-0 wrap-anywhere">
          <VisibleText text={words.detail} multiline />
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
    </p>
  )
}
