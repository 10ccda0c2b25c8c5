import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { AskCard } from './ask-card.tsx'
import type { Burst } from './burst-bar.tsx'
import { useClient } from './holdpoint-provider.tsx'
import { useAnswering } from './use-answering.tsx'
import { useGateway } from './use-gateway.tsx'
import { useLink } from './use-link.tsx'
import { useSession } from './use-session.tsx'

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
}

/** One ask of the provider's client, answered through it. Nothing while there is no such ask. */
export function LiveAskCard({ askId, ask: given, ...rest }: LiveAskCardProps) {
  const known = useGateway(
    ({ asks, settled }) =>
      asks.find((ask) => ask.id === askId) ?? settled.find((entry) => entry.ask.id === askId)?.ask ?? given,
  )
  // The gateway's state forgets settled asks in time; a card that is shown stays as it is.
  const [kept, setKept] = useState(known)
  if (known && known !== kept) setKept(known)
  const ask = known ?? kept
  return ask && <Card key={`${ask.id} ${ask.digest}`} ask={ask} {...rest} />
}

function Card({ ask, burst, blocked, underSession = false }: Omit<LiveAskCardProps, 'askId'> & { ask: Ask }) {
  const client = useClient()
  const session = useSession(ask.sessionId)
  const link = useLink()
  const { state, answer, cancelWaiting } = useAnswering(ask)
  return (
    <AskCard
      ask={ask}
      session={session}
      state={state}
      onAnswer={(_, given) => answer(given)}
      onCancelWaiting={cancelWaiting}
      onSeen={() => client.seen(ask)}
      onEndSeen={() => burst?.markEndSeen(ask)}
      blocked={blocked ?? (link.state === 'live' ? undefined : 'Not live: what you see may be old. Reconnecting…')}
      selection={burst?.selectionOf(ask)}
      underSession={underSession}
    />
  )
}
