import { raiserOf } from '@holdpoint/core/call-facts'
import type { Ask } from '@holdpoint/schema/ask'
import { ArmedButton } from '../arming/arming.tsx'
import { ActionRow, WIDE_ON_PHONE } from './action-row.tsx'
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
  const { arming, sent, off, cannotSend, hint, unseen, why, send } = answering
  const who = raiserOf(ask) === undefined ? 'agent' : 'program'
  const isOne = (ask.questions?.length ?? 0) <= 1
  const missing = isOne ? 'Not answered yet' : 'Not all answered yet'
  const state =
    repeat === undefined
      ? (hint ?? (unready ? missing : 'Ready to send'))
      : `Press ${repeat} again to choose this option`
  const tone = repeat === undefined && hint === undefined ? 'text-quiet' : 'text-wait'
  const waitsToBeSeen = unseen && repeat === undefined
  return (
    <ActionRow
      arming={arming}
      hint={
        <div className="pb-2 text-center text-[13px] sm:hidden">
          {waitsToBeSeen ? (
            <AnswerHint text={hint} unseen className="justify-center" />
          ) : (
            <>
              <span className={tone}>{state}.</span> <span className="text-faint">The {who} is told if you skip.</span>
            </>
          )}
        </div>
      }
    >
      <ArmedButton
        variant="quiet"
        off={off && sent?.kind !== 'cancel'}
        why={why}
        busy={sent?.kind === 'cancel'}
        onPress={() => send({ kind: 'cancel', digest: ask.digest })}
        className={WIDE_ON_PHONE}
      >
        Skip
      </ArmedButton>
      <span className="text-[13px] text-faint max-sm:hidden">Skip tells the {who} that you chose not to answer</span>
      {/* Always there, and as wide as there is room: a line that comes and goes would move the buttons. */}
      <div className={`min-w-0 flex-1 text-right text-[13px] max-sm:hidden ${tone}`}>
        {waitsToBeSeen ? <AnswerHint text={hint} unseen className="justify-end" /> : state}
      </div>
      <ArmedButton
        variant="primary"
        off={(cannotSend || unready) && sent?.kind !== 'answer'}
        why={why ?? missing}
        busy={sent?.kind === 'answer'}
        onPress={onSubmit}
        className={WIDE_ON_PHONE}
      >
        {isOne ? 'Send answer' : 'Send answers'}
      </ArmedButton>
    </ActionRow>
  )
}
