import type { Ask } from '@holdpoint/schema/ask'
import { ArmedButton, useArming } from '../arming/arming.tsx'
import type { WholeAsk } from '../hooks/use-whole-ask.ts'
import { sizeWords } from '../text/size-words.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { Button } from '../ui/button.tsx'
import { ActionRow, WIDE_ON_PHONE } from './action-row.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { NO } from './card-fault.tsx'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'

/** Up to this many characters are loaded when the card comes on screen; more only when the person asks for it. */
const LOADED_BY_ITSELF = 512 * 1024

/** An open ask that is too large to be loaded with all others: it is loaded here, and until then it can only be refused. */
export function LargeCard({ card, loading }: { card: OpenCardProps; loading: WholeAsk }) {
  const { ask, state } = card
  const arming = useArming(`${ask.id} ${ask.digest}`)
  const characters = ask.omitted?.characters ?? 0
  const no = NO[ask.kind]
  const isSent = state.kind === 'submitting'
  const onSeen = () => {
    if (characters <= LOADED_BY_ITSELF) loading.load()
  }
  return (
    <CardFrame card={{ ...card, onSeen }} arming={arming} onKey={() => {}}>
      <div className="flex flex-col gap-1 px-4">
        <p className="wrap-anywhere">
          <VisibleText text={ask.title} code={ask.kind === 'approval'} />
        </p>
        <p role="status" className="text-[13px] text-quiet">
          {words(ask, loading, characters)}
        </p>
      </div>
      <AnswerStatus card={card} />
      <ActionRow arming={arming}>
        <ArmedButton
          variant="deny"
          off={card.blocked !== undefined}
          busy={isSent}
          onPress={() => card.onAnswer(ask, { kind: no.kind, digest: ask.digest })}
          className={WIDE_ON_PHONE}
        >
          {no.words}
        </ArmedButton>
        <Button variant="primary" onClick={loading.load} className={WIDE_ON_PHONE}>
          Show all of it
        </Button>
      </ActionRow>
    </CardFrame>
  )
}

function words({ tool }: Ask, { isLoading, error }: WholeAsk, characters: number): string {
  if (error !== undefined) return `${error} You can allow only what is shown.`
  if (isLoading) return `Loading ${sizeWords(characters)} …`
  return `${tool?.name === undefined ? 'This ask' : 'Its input'} is large: ${sizeWords(characters)}. It is loaded when you press “Show all of it”.`
}
