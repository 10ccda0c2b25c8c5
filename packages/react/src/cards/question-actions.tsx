import { raiserOf } from '@holdpoint/core/call-facts'
import type { Ask } from '@holdpoint/schema/ask'
import { ArmedButton } from '../arming/arming.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import type { Answering } from './answer-frame.tsx'
import { AnswerHint } from './answer-hint.tsx'

interface QuestionActionsProps {
  readonly ask: Ask
  readonly answering: Answering
  /** Not every question has an answer yet. */
  readonly unready: boolean
  /** A digit that has to be pressed again, because its option was out of sight. */
  readonly repeat?: string | undefined
  onSubmit(): void
}

export function QuestionActions({ ask, answering, unready, repeat, onSubmit }: QuestionActionsProps) {
  const { arming, sent, off, cannotSend, hint, send } = answering
  const skipHint = `Skip tells the ${raiserOf(ask) === undefined ? 'agent' : 'program'} that you chose not to answer`
  return (
    <ActionRow
      arming={arming}
      hint={
        <>
          <AnswerHint text={repeat === undefined ? hint : `Press ${repeat} again to choose this option`} />
          <p className="pb-2 text-center text-[13px] text-faint sm:hidden">{skipHint}</p>
        </>
      }
    >
      <ArmedButton
        variant="quiet"
        off={off && sent?.kind !== 'cancel'}
        busy={sent?.kind === 'cancel'}
        onPress={() => send({ kind: 'cancel', digest: ask.digest })}
        className={WIDE_ON_PHONE}
      >
        Skip
      </ArmedButton>
      <span className="text-[13px] text-faint max-sm:hidden">{skipHint}</span>
      <Spacer />
      <ArmedButton
        variant="primary"
        off={(cannotSend || unready) && sent?.kind !== 'answer'}
        busy={sent?.kind === 'answer'}
        onPress={onSubmit}
        className={WIDE_ON_PHONE}
      >
        {(ask.questions?.length ?? 0) > 1 ? 'Send answers' : 'Send answer'}
      </ArmedButton>
    </ActionRow>
  )
}
