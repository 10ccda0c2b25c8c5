import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import { Check, CircleSlash, X } from 'lucide-react'
import { Age } from './age.tsx'
import { factOf } from './cards/heading.ts'
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
  /** Also says what was asked, for places where that is not said beside it. */
  readonly withFact?: boolean
}

/** How an ask ended, in one line of text: what, with which words, by whom, when. */
export function OutcomeLine({ ask, outcome, withFact = false }: OutcomeLineProps) {
  const words = outcomeWords(ask, outcome)
  const decider = deciderWords(outcome)
  const Icon = ICONS[words.tone]
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-[13px] text-quiet">
      <span className={`inline-flex shrink-0 items-center gap-1.5 font-medium ${LOOKS[words.tone]}`}>
        <Icon aria-hidden className="size-4" />
        {words.what}
      </span>
      {withFact && (
        <span className="max-w-full min-w-0 truncate font-mono text-xs text-ink">
          <VisibleText text={factOf(ask).replaceAll('\n', ' ⏎ ')} />
        </span>
      )}
      {words.detail !== undefined && (
        <span className="min-w-0 wrap-anywhere">
          <VisibleText text={words.detail} multiline />
        </span>
      )}
      {words.caveat !== undefined && <span className="text-wait">{words.caveat}</span>}
      <span className={`min-w-0 truncate text-xs text-faint ${withFact ? 'sm:ml-auto' : ''}`}>
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
