import type { Ask } from '@holdpoint/schema/ask'
import { ArmedButton } from '../arming.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import type { Answering } from './answer-frame.tsx'
import { AnswerHint } from './answer-hint.tsx'

const SKIP_HINT = 'Skip tells the agent that you chose not to answer'

interface QuestionActionsProps {
  readonly ask: Ask
  readonly answering: Answering
  /** Not every question has an answer yet. */
  readonly unready: boolean
  onSubmit(): void
}

export function QuestionActions({ ask, answering, unready, onSubmit }: QuestionActionsProps) {
  const { arming, sent, off, cannotSend, hint, send } = answering
  return (
    <ActionRow
      arming={arming}
      hint={
        <>
          <AnswerHint text={hint} />
          <p className="pb-2 text-center text-[13px] text-faint sm:hidden">{SKIP_HINT}</p>
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
      <span className="text-[13px] text-faint max-sm:hidden">{SKIP_HINT}</span>
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
