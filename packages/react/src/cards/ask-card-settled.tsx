import { render } from '@holdpoint/core/text/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { Session } from '@holdpoint/schema/session'
import { ChevronDown, ServerOff } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { SettledState } from '../asks/answer-state.ts'
import type { KnownMachine } from '../machines/machine-of.ts'
import { JsonTree } from '../text/json-tree.tsx'
import { Markdown } from '../text/markdown.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Age } from '../time/age.tsx'
import { duration } from '../time/ago.ts'
import { approvalBlocks, besidesPlan } from './approval-blocks.ts'
import { ApprovalContent } from './approval-content.tsx'
import { factOf } from './heading.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { OutcomeRules } from './outcome-rules.tsx'
import { deciderWords, type OutcomeWords, outcomeWords } from './outcome-words.ts'
import { ReasonText } from './reason-text.tsx'

interface SettledCardProps {
  readonly ask: Ask
  readonly session: Session | undefined
  readonly state: SettledState
  /** The machine that the agent gets it on, once it is back. */
  readonly waitsFor: KnownMachine | undefined
  /** Something was written on the open card. */
  readonly unsent: boolean
  readonly now: number | undefined
}

/** The outcome of an ask in one line; an approval or a plan can be opened to read it again. */
export function SettledCard({ ask, session, state, unsent, waitsFor, now }: SettledCardProps) {
  const line = (
    <SettledAskLine
      ask={ask}
      outcome={state.outcome}
      here={state.kind === 'settled-here'}
      lostRace={state.lostRace === true}
      unsent={unsent && state.pressed === undefined && state.kind !== 'settled-here'}
      now={now}
    />
  )
  return (
    <article
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves from card to card, settled ones included.
      tabIndex={0}
      aria-label={`Settled${session ? ` in ${render(session.title, { prose: true })}` : ''}`}
      data-ask-id={ask.id}
      data-kind={ask.kind}
      data-state={state.kind}
      className="min-w-0 rounded-xl border border-line bg-card px-4 text-sm text-ink shadow-card outline-offset-2 focus-visible:outline-2 focus-visible:outline-accent"
    >
      {ask.kind === 'approval' || ask.kind === 'plan' ? (
        <OpensAgain ask={ask} line={line} />
      ) : (
        <div className="py-2.5">{line}</div>
      )}
      {waitsFor && (
        <p role="status" className="flex gap-1.5 pb-2.5 text-[13px] text-wait">
          <ServerOff aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            Recorded. The agent gets it when its machine, <VisibleText text={waitsFor.name} />, is back.
          </span>
        </p>
      )}
      <OutcomeRules outcome={state.outcome} className="pb-2 pl-5.5" />
    </article>
  )
}

/** The line opens. What is in it is made when that is first wanted: most lines are never opened, and many are shown. */
function OpensAgain({ ask, line }: { ask: Ask; line: ReactNode }) {
  const [isWanted, setIsWanted] = useState(false)
  return (
    <details
      onToggle={({ currentTarget }) => currentTarget.open && setIsWanted(true)}
      className="group/again block w-full"
    >
      <summary className="-mx-4 flex min-h-11 cursor-pointer list-none items-start gap-2 rounded-xl px-4 py-2.5 focus-visible:outline-2 focus-visible:outline-accent [&::-webkit-details-marker]:hidden">
        <div className="min-w-0 flex-1">{line}</div>
        <ChevronDown
          aria-hidden
          className="mt-0.5 size-4 shrink-0 text-faint transition-transform motion-reduce:transition-none group-open/again:rotate-180"
        />
      </summary>
      {isWanted && (
        <div className="-mx-4 pt-1 pb-3.5">
          <SettledAskContent ask={ask} />
        </div>
      )}
    </details>
  )
}

/** The content of a settled approval or plan, to read again. */
export function SettledAskContent({ ask }: { ask: Ask }) {
  const blocks = useMemo(() => approvalBlocks(ask), [ask])
  const besides = useMemo(() => besidesPlan(ask), [ask])
  if (ask.kind !== 'plan') return <ApprovalContent ask={ask} blocks={blocks} onEndSeen={() => {}} />
  return (
    <div className="flex flex-col gap-2.5 px-4">
      <h3 className="sr-only">The plan</h3>
      <Markdown text={ask.plan?.text ?? ''} decided />
      {besides && <JsonTree value={besides} label="Other input" />}
    </div>
  )
}

interface SettledAskLineProps {
  readonly ask: Ask
  readonly outcome: Outcome
  /** Decided on this very card. */
  readonly here?: boolean
  readonly lostRace?: boolean
  /** The person was writing an answer when another one came first. */
  readonly unsent?: boolean
  readonly now?: number | undefined
}

/** Outcome, fact, who from where, and when. */
export function SettledAskLine({
  ask,
  outcome,
  here = false,
  lostRace = false,
  unsent = false,
  now,
}: SettledAskLineProps) {
  const words = outcomeWords(ask, outcome)
  const decider = here ? 'you, here' : deciderWords(outcome)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5">
        <OutcomeMark words={words} />
        <VisibleText
          text={factOf(ask)}
          code={ask.kind === 'approval'}
          joinLines
          className="min-w-0 flex-1 basis-16 truncate font-mono text-xs leading-5"
        />
        <span className="flex min-w-0 shrink-0 items-center gap-1 text-[13px] text-quiet max-sm:basis-full max-sm:pl-5.5">
          {decider !== undefined && (
            <>
              <VisibleText text={decider} className="max-w-56 truncate" />
              <span aria-hidden>·</span>
            </>
          )}
          <span className="shrink-0 whitespace-nowrap">
            {now === undefined ? <Age since={outcome.at} suffix=" ago" /> : `${duration(now - outcome.at)} ago`}
          </span>
        </span>
      </div>
      {words.detail !== undefined && (
        <p className="pl-5.5 text-[13px] text-quiet wrap-anywhere">
          {outcome.via === 'rule' ? <ReasonText text={words.detail} /> : <VisibleText text={words.detail} multiline />}
        </p>
      )}
      {words.caveat !== undefined && <p className="pl-5.5 text-[13px] text-wait">{words.caveat}</p>}
      {unsent && (
        <p role="status" className="pl-5.5 text-[13px] text-wait">
          What you were writing here was not sent.
        </p>
      )}
      {lostRace &&
        (outcome.reason === 'changed' ? (
          <p role="status" className="pl-5.5 text-[13px] text-wait">
            Your answer did not count. Check what it asks now.
          </p>
        ) : (
          <LostRace words={words} outcome={outcome} now={now} />
        ))}
    </>
  )
}

function LostRace({ words, outcome, now }: { words: OutcomeWords; outcome: Outcome; now: number | undefined }) {
  const decider = deciderWords(outcome)
  return (
    <p role="status" className="pl-5.5 text-[13px] text-wait">
      Your answer came too late: {words.what.toLowerCase()}
      {decider !== undefined && (
        <>
          {' '}
          by <VisibleText text={decider} />
        </>
      )}{' '}
      {now === undefined ? <Age since={outcome.at} suffix=" before" /> : `${duration(now - outcome.at)} before`}
    </p>
  )
}
