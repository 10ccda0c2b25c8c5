import { inputNotShownInForm } from '@holdpoint/core/input-not-shown-in-form'
import type { Answer } from '@holdpoint/schema/answer'
import { type KeyboardEvent, type ReactNode, useMemo } from 'react'
import { type Arming, keyDecides, useArming } from '../arming/arming.tsx'
import { useEndsSeen } from '../arming/ends-seen.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { SeenFields } from '../arming/seen-fields.tsx'
import { JsonTree } from '../text/json-tree.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning } from '../text/visible-text.tsx'
import { FROZEN } from './answer-hint.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { decisionOf, whyYesWaits } from './away-machine.ts'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'

/** What the parts of a card that takes an answer need to know, and the one way to send it. */
export interface Answering {
  readonly arming: Arming
  /** What is under way. */
  readonly sent: Answer | undefined
  /** Nothing can be changed or sent now. */
  readonly off: boolean
  /** Nothing that lets the agent continue can be sent now. */
  readonly cannotSend: boolean
  /** Why not; the card says what keeps it from being answered at all. */
  readonly hint: string | undefined
  /** It is because not all was on screen to its end. */
  readonly unseen: boolean
  /** Why not, in any case. */
  readonly why: string | undefined
  /** Only from a press or a key that counts. */
  send(answer: Answer): void
}

export function useCardAnswering(card: OpenCardProps) {
  const { ask, state } = card
  const arming = useArming(decisionOf(card))
  const besides = useMemo(() => inputNotShownInForm(ask), [ask])
  const ends = useEndsSeen(besides ? ['content', 'besides'] : ['content'], undefined)
  const howToSee = useHowToSee()
  const sent = state.kind === 'submitting' ? state.answer : undefined
  const off = card.blocked !== undefined || sent !== undefined
  const frozen = card.session?.frozen === true
  const waits = frozen ? FROZEN : whyYesWaits(card)
  const hint = off ? undefined : (waits ?? (ends.all ? undefined : `${howToSee} to answer`))
  const answering: Answering = {
    arming,
    sent,
    off,
    cannotSend: off || waits !== undefined || !ends.all,
    hint,
    unseen: !off && waits === undefined && !ends.all,
    why: card.blocked ?? hint,
    send(answer) {
      if (!sent) card.onAnswer(ask, answer)
    },
  }
  return { ...answering, besides, onEndSeen: ends.mark }
}

interface AnswerFrameProps {
  readonly card: OpenCardProps
  readonly answering: ReturnType<typeof useCardAnswering>
  /** Texts that the children show, for the line that warns of escapes. */
  readonly texts: readonly string[]
  readonly children: ReactNode
  readonly actions: ReactNode
  /** Ctrl+Enter on the card or in one of its fields, pressed by a person on armed buttons. */
  onSubmitKey(): void
  onKey?(event: KeyboardEvent): void
}

/** A card that takes an answer: what is to be answered, the rest of the call below it, then the buttons. */
export function AnswerFrame({ card, answering, texts, children, actions, onSubmitKey, onKey }: AnswerFrameProps) {
  const { arming, besides, cannotSend, onEndSeen } = answering
  const inputs = useMemo(() => stringsIn(besides), [besides])
  function onSubmit(event: KeyboardEvent) {
    event.preventDefault()
    if (!cannotSend && keyDecides(arming, event)) onSubmitKey()
  }
  return (
    <CardFrame card={card} arming={arming} onKey={onKey ?? (() => {})} onSubmit={onSubmit}>
      <div className="flex flex-col gap-4 px-4">
        <SeenFields
          label={card.ask.kind === 'form' ? 'Form' : 'Questions'}
          content={card.ask.digest}
          onEndSeen={() => onEndSeen('content')}
        >
          {children}
        </SeenFields>
        {besides && (
          <div>
            <p className="pb-1 text-xs text-faint">Input of the call</p>
            <JsonTree value={besides} label="Input of the call" onEndSeen={() => onEndSeen('besides')} />
          </div>
        )}
        <EscapeWarning texts={inputs} prose={texts} />
      </div>
      <AnswerStatus card={card} />
      {actions}
    </CardFrame>
  )
}
