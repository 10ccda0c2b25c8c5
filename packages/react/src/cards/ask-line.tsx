import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { ChevronDown, Clock, TriangleAlert } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useMemo } from 'react'
import { type AnswerState, isSettled } from '../asks/answer-state.ts'
import type { Burst } from '../asks/burst.ts'
import { useAnswering } from '../hooks/use-answering.tsx'
import { useGateway } from '../hooks/use-gateway.tsx'
import { useMachineOf } from '../hooks/use-machines.tsx'
import type { KnownMachine } from '../machines/machine-of.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { Age } from '../time/age.tsx'
import { duration } from '../time/ago.ts'
import { useNowAs } from '../time/now.tsx'
import { Spinner } from '../ui/button.tsx'
import { StatusDot } from '../ui/session-status.tsx'
import { isTyping } from '../ui/typing.tsx'
import { useTick } from './burst-bar.tsx'
import { CARD_KEYS } from './card-keys.ts'
import { lineWords } from './line-words.ts'
import { MachineName } from './machine-name.tsx'
import { OutcomeMark } from './outcome-mark.tsx'
import { deciderWords, outcomeWords } from './outcome-words.ts'

export interface AskLineProps {
  readonly ask: Ask
  /** Where a tick takes the ask into an answer for several. */
  readonly burst: Burst | undefined
  /** Its card is open below. */
  readonly isOpen: boolean
  onToggle(): void
}

/**
 * An ask in one line of a fixed height, open or settled: nothing below it moves when it is answered. It answers nothing:
 * the keys of a card open the card.
 */
export const AskLine = memo(function AskLine({ ask, burst, isOpen, onToggle }: AskLineProps) {
  const { state } = useAnswering(ask)
  const session = useGateway(({ sessions }) => sessions.get(ask.sessionId), sameOnLine)
  const machine = useMachineOf(session)
  const words = useMemo(() => lineWords(ask), [ask])
  const settled = isSettled(state)
  function onKeyDown(event: KeyboardEvent) {
    if (isOpen || settled || event.repeat || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return
    if (!CARD_KEYS.test(event.key)) return
    event.preventDefault()
    onToggle()
  }
  return (
    <div className="flex h-14 items-stretch sm:h-9.5">
      <Tick ask={ask} burst={settled ? undefined : burst} name={`${words.tool} ${words.text.slice(0, 80)}`} />
      <button
        type="button"
        {...(!isOpen && { 'data-ask-id': ask.id, 'data-kind': ask.kind })}
        data-state={state.kind}
        aria-expanded={isOpen}
        onClick={onToggle}
        onKeyDown={onKeyDown}
        className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 content-center rounded-md px-2 text-left text-[13px] hover:bg-panel focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent sm:grid-cols-[minmax(0,1fr)_minmax(0,7rem)_4.5rem_1rem] lg:grid-cols-[minmax(0,1fr)_minmax(0,11rem)_4.5rem_1rem]"
      >
        <span className="flex min-w-0 items-center gap-2 max-sm:col-span-2">
          {settled ? (
            <OutcomeMark words={outcomeWords(ask, state.outcome)} />
          ) : (
            <span className="flex max-w-28 shrink-0 items-center gap-1.5 font-semibold sm:w-20">
              <span className="sr-only">Needs answer: </span>
              <VisibleText text={words.tool} code className="truncate" />
            </span>
          )}
          <VisibleText
            text={words.text}
            code={words.isCode}
            joinLines
            className={`min-w-0 truncate ${words.isCode ? 'font-mono text-xs leading-5' : ''} ${settled ? 'text-quiet' : ''}`}
          />
          {!settled && ask.flags.defaultToNo && (
            <span className="shrink-0 rounded-xl bg-deny-bg px-1.5 text-xs font-medium text-deny">default: No</span>
          )}
        </span>
        <Progress state={state} session={session} machine={machine} />
        <span className="text-right text-quiet tabular-nums">
          {isSettled(state) ? <Age since={state.outcome.at} /> : <Waited ask={ask} />}
        </span>
        <ChevronDown aria-hidden className={`size-4 shrink-0 text-faint max-sm:hidden ${isOpen ? 'rotate-180' : ''}`} />
      </button>
    </div>
  )
})

interface ProgressProps {
  readonly state: AnswerState
  readonly session: Session | undefined
  readonly machine: KnownMachine | undefined
}

/** How far the answer is, where there is one; else whose ask it is. */
function Progress({ state, session, machine }: ProgressProps): ReactNode {
  if (state.kind === 'failed') {
    return (
      <span role="alert" title={state.message} className="flex min-w-0 items-center gap-1.5 text-deny">
        <TriangleAlert aria-hidden className="size-3.5 shrink-0" />
        <span className="truncate">{state.message}</span>
      </span>
    )
  }
  if (state.kind === 'submitting') {
    return (
      <span className="flex min-w-0 items-center gap-1.5 text-quiet">
        <Spinner />
        {state.overdue ? 'No reply yet' : 'Sending …'}
      </span>
    )
  }
  const decider = isSettled(state) && (state.kind === 'settled-here' ? 'you, here' : deciderWords(state.outcome))
  return (
    <span className="flex min-w-0 items-center gap-x-2 text-quiet">
      <VisibleText text={decider || (session?.title ?? '')} className="min-w-0 truncate" />
      {machine && !decider && <MachineName machine={machine} className="max-w-1/2 shrink-0 text-xs" />}
    </span>
  )
}

function sameOnLine(before: Session | undefined, after: Session | undefined): boolean {
  return before?.title === after?.title
}

const SOON_MS = 60_000

/** How long it has waited; how long it still can, where that is limited. */
function Waited({ ask }: { ask: Ask }) {
  return ask.expiresAt === undefined ? <Age since={ask.raisedAt} /> : <Left expiresAt={ask.expiresAt} />
}

function Left({ expiresAt }: { expiresAt: number }) {
  const left = useNowAs((now) => (expiresAt > now ? duration(expiresAt - now) : ''))
  const isSoon = useNowAs((now) => expiresAt - now < SOON_MS)
  return (
    <span className={`flex items-center justify-end gap-1 ${isSoon ? 'font-medium text-wait' : ''}`}>
      <Clock aria-hidden className="size-3.5" />
      {left === '' ? 'up' : left}
      <span className="sr-only"> left</span>
    </span>
  )
}

function Tick({ ask, burst, name }: { ask: Ask; burst: Burst | undefined; name: string }) {
  const ticked = useTick(burst, ask)
  if (ticked === undefined) {
    return (
      <span className="flex w-11 shrink-0 items-center justify-center sm:pointer-fine:w-9">
        {burst && <StatusDot status="waiting" />}
      </span>
    )
  }
  return (
    <label className="flex w-11 shrink-0 cursor-pointer items-center justify-center sm:pointer-fine:w-9">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={ticked}
        onChange={(event) => burst?.tick([ask], event.target.checked)}
        className="size-4.5 accent-accent"
      />
    </label>
  )
}
