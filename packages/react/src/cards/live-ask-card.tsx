import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { memo, useMemo, useState } from 'react'
import { type AnswerState, isSettled } from '../asks/answer-state.ts'
import { openAsk, settledAsk } from '../asks/ask-index.ts'
import { sameShallow } from '../hooks/same-shallow.ts'
import { useAnswering } from '../hooks/use-answering.tsx'
import { useGateway } from '../hooks/use-gateway.tsx'
import { type Link, useLink } from '../hooks/use-link.tsx'
import { useMachineOf } from '../hooks/use-machines.tsx'
import { useWholeAsk } from '../hooks/use-whole-ask.ts'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { AskCard } from './ask-card.tsx'
import { type Burst, useTick } from './burst-bar.tsx'
import { LargeCard } from './large-card.tsx'

export interface LiveAskCardProps {
  readonly askId: AskId
  /** The ask where the caller has it from elsewhere: a thread or a history knows more than the gateway's state. */
  readonly ask?: Ask | undefined
  /** Lets the card be ticked and answered with others. */
  readonly burst?: Burst | undefined
  /** The card stands under its session's name, and does not repeat it. */
  readonly underSession?: boolean
  /** Why nothing can be answered here, besides a link that is not live. */
  readonly blocked?: string | undefined
  /** Whether this person may make rules of the policy, which only owners may. Assumed unless told otherwise. */
  readonly canMakeRules?: boolean
}

/**
 * One ask of the provider's client, answered through it. Nothing while there is no such ask. What happens to other asks
 * does not draw it again.
 */
export const LiveAskCard = memo(function LiveAskCard({ askId, ask: given, ...rest }: LiveAskCardProps) {
  const known = useGateway(
    ({ asks, settled }) => openAsk(asks, askId) ?? settledAsk(settled, askId)?.ask ?? given,
    Object.is,
  )
  // The gateway's state forgets settled asks in time; a card that is shown stays as it is.
  const [kept, setKept] = useState(known)
  if (known && known !== kept) setKept(known)
  const ask = known ?? kept
  return ask && <Card key={`${ask.id} ${ask.digest}`} ask={ask} {...rest} />
})

type CardProps = Omit<LiveAskCardProps, 'askId'> & { readonly ask: Ask }

function Card({ ask: given, burst, blocked, underSession = false, canMakeRules = true }: CardProps) {
  const client = useClient()
  const link = useLink()
  const loading = useWholeAsk(given)
  const isLarge = given.omitted !== undefined
  const ask = useMemo(() => loading.whole ?? named(given), [loading.whole, given])
  const { state, answer, cancelWaiting } = useAnswering(ask)
  const selected = useTick(burst, given)
  const notices = useGateway((gateway) => gateway.notices.get(ask.id), Object.is)
  const session = useGateway(({ sessions }) => sessions.get(ask.sessionId), sameOn(ask, state))
  const machine = useMachineOf(session)
  const undelivered = useGateway((gateway) => gateway.undelivered.has(ask.id), Object.is)
  const card = {
    ask,
    session,
    machine,
    undelivered,
    onAnswer: (_: Ask, chosen: Answer) => answer(chosen),
    onCancelWaiting: cancelWaiting,
    onSeen: () => client.seen(ask),
    blocked: blocked ?? whyBlocked(link),
    underSession,
    notices,
    rules: canMakeRules ? client : undefined,
  }
  if (!loading.whole && !isSettled(state)) return <LargeCard card={{ ...card, state }} loading={loading} />
  return (
    <AskCard
      {...card}
      state={state}
      // A large ask is answered on its own: a tick is bound to what the list holds, which is not all of it.
      onEndSeen={() => !isLarge && burst?.markEndSeen(ask)}
      selection={selected === undefined ? undefined : { selected, onChange: (ticked) => burst?.tick([ask], ticked) }}
    />
  )
}

function whyBlocked({ state, notTheGateway }: Link): string | undefined {
  if (notTheGateway) return 'Another program answers at this address, not your gateway. Nothing is sent to it.'
  return state === 'live' ? undefined : 'Not live: what you see may be old. Reconnecting…'
}

/** A large ask that was not loaded, so that it can be refused: no other card draws it. */
function named(ask: Ask): Ask {
  return ask.omitted ? { ...ask, digest: ask.omitted.digest } : ask
}

type SameSession = (before: Session | undefined, after: Session | undefined) => boolean

/**
 * What of a session makes another picture of a card. Its counts and its state change with every other ask, and standard
 * cards show neither; a card of an app's own, which only an open question or form can have, may show anything.
 */
function sameOn(ask: Ask, state: AnswerState): SameSession {
  if (isSettled(state)) return sameTitle
  return ask.kind === 'approval' || ask.kind === 'plan' ? sameOnStandardCard : sameShallow
}

const sameTitle: SameSession = (before, after) => before?.title === after?.title

const sameOnStandardCard: SameSession = (before, after) => sameTitle(before, after) && before?.frozen === after?.frozen
