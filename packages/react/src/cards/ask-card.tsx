import type { GatewayClient } from '@holdpoint/client/gateway-client'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskNotices } from '@holdpoint/schema/notification'
import type { Session } from '@holdpoint/schema/session'
import { type ComponentType, type FormEvent, useState } from 'react'
import { type AnswerState, initialAnswerState, isSettled } from '../asks/answer-state.ts'
import { isAway, type KnownMachine } from '../machines/machine-of.ts'
import { useCardEntry } from '../providers/cards-provider.tsx'
import { Collapse } from '../ui/collapse.tsx'
import { TEXT_FIELDS } from '../ui/typing.tsx'
import { AddedCard } from './added-card.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { SettledCard } from './ask-card-settled.tsx'
import { CardFault, UnshownCard, UnshownSettledCard } from './card-fault.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { FormCard } from './form-card.tsx'
import { PlanCard } from './plan-card.tsx'
import { QuestionCard } from './question-card.tsx'

export type { AnswerState } from '../asks/answer-state.ts'

/** The tick box of a card that can be answered together with others. */
export interface CardSelection {
  readonly selected: boolean
  /** Why it cannot be ticked now. */
  readonly off?: string
  onChange(selected: boolean): void
}

/** What the gateway knows of rules that an answer could make. */
export interface RuleOffers extends Pick<GatewayClient, 'offeredRules' | 'checkRuleFor'> {
  readonly policy: Pick<GatewayClient['policy'], 'dryRun'>
}

export interface AskCardProps {
  readonly ask: Ask
  /** Missing while it is not known (yet). */
  readonly session?: Session | undefined
  /** Where its agent runs, where there are several machines. */
  readonly machine?: KnownMachine | undefined
  /** It has an outcome that the agent has not got yet. */
  readonly undelivered?: boolean
  /** Where the answer stands. Left out: settled when the ask has its outcome, else open. */
  readonly state?: AnswerState
  /** A deliberate press, after arming, with what the person saw: the ask of this card and its digest. */
  onAnswer(ask: Ask, answer: Answer): void
  /** Offered when an answer is under way for long. */
  onCancelWaiting?(): void
  /** Once, when the card is before a person's eyes. */
  onSeen?(): void
  /** Once, when everything that an allow needs to have been on screen was. */
  onEndSeen?(): void
  /** Why nothing can be answered now; shown in place of the hints. */
  readonly blocked?: string | undefined
  readonly selection?: CardSelection | undefined
  /** The card stands under its session's name, and does not repeat it. */
  readonly underSession?: boolean
  /** Who was told of it, and who has seen it. Left out: the card does not say. */
  readonly notices?: AskNotices | undefined
  /** Where an allow can make rules, too. Left out: it can only have this very call remembered. */
  readonly rules?: RuleOffers | undefined
  /** A fixed time, for pictures and tests; left out, the clock. */
  readonly now?: number | undefined
}

/** One ask, open or settled. Give it a `key` of the ask's id and digest. */
export function AskCard(props: AskCardProps) {
  const state = props.state ?? initialAnswerState(props.ask.outcome)
  const [hasWritten, setHasWritten] = useState(false)
  function onInput({ target }: FormEvent) {
    if (target instanceof HTMLElement && target.matches(TEXT_FIELDS)) {
      setHasWritten(!('value' in target) || target.value !== '')
    }
  }
  return (
    <Collapse collapsed={isSettled(state)} onInput={onInput}>
      {isSettled(state) ? (
        <CardFault key="settled" fallback={<UnshownSettledCard ask={props.ask} />}>
          <SettledCard
            ask={props.ask}
            session={props.session}
            state={state}
            unsent={hasWritten}
            waitsFor={whereItWaits(props)}
            now={props.now}
          />
        </CardFault>
      ) : (
        <CardFault key="open" fallback={<UnshownCard {...props} state={state} />}>
          <OpenCard {...props} state={state} />
        </CardFault>
      )}
    </Collapse>
  )
}

/** The machine on which an agent does not have its answer yet. A program gets its own where it asks. */
function whereItWaits({ ask, machine, undelivered }: AskCardProps): KnownMachine | undefined {
  const waits = undelivered && ask.raisedBy === undefined
  return waits && machine && isAway(machine) ? machine : undefined
}

const STANDARD: Readonly<Record<Ask['kind'], ComponentType<OpenCardProps>>> = {
  approval: ApprovalCard,
  question: QuestionCard,
  plan: PlanCard,
  form: FormCard,
}

function OpenCard(card: OpenCardProps) {
  const entry = useCardEntry(card.ask)
  // A newer gateway may have a kind that this page does not know.
  const Standard = Object.hasOwn(STANDARD, card.ask.kind) ? STANDARD[card.ask.kind] : UnshownCard
  const standard = <Standard {...card} />
  return entry ? (
    <CardFault fallback={standard}>
      <AddedCard entry={entry} card={card} />
    </CardFault>
  ) : (
    standard
  )
}
