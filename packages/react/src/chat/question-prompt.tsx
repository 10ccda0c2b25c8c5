import type { Question } from '@holdpoint/schema/ask'
import type { QuestionItem } from '@holdpoint/schema/turn-stream'
import { Check, MessageCircleQuestion } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { ArmedArea, ArmedButton, keyDecides, useArming } from '../arming/arming.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import { SeenFields } from '../arming/seen-fields.tsx'
import { QuestionField } from '../cards/question-field.tsx'
import { firstOpen, NOTHING_PICKED, type Pick, picked, written } from '../cards/question-state.ts'
import { RaisedByLine } from '../cards/raised-by.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning, VisibleText } from '../text/visible-text.tsx'
import { Chip } from '../ui/chip.tsx'
import { InteractionFrame } from './interaction-frame.tsx'
import { UnansweredSummary } from './interaction-summary.tsx'
import { chosenIn, promptAnswers, questionOf } from './prompt-answers.ts'
import { SubmitError } from './submit-error.tsx'
import { type Interaction, type InteractionProps, useInteraction } from './use-interaction.ts'

export type { Settled } from './interaction-state.ts'

export interface QuestionPromptProps extends InteractionProps {
  readonly questions: readonly QuestionItem[]
  /** The program that asks, where it is not the agent. */
  readonly raiser?: string | undefined
}

/** The questions of a `question_prompt` event, answered by `submitAnswers` of the transport above. */
export function QuestionPrompt({ questions: given, raiser, ...props }: QuestionPromptProps) {
  const interaction = useInteraction(props)
  // The same questions in a new list keep what was picked; other questions do not.
  const content = JSON.stringify(given)
  const questions = given.map(questionOf)
  const { state } = interaction
  const about = questions.map(({ header, question }) => header ?? question).join(' · ')
  return (
    <InteractionFrame
      toolCallId={props.toolCallId}
      interaction={interaction}
      icon={MessageCircleQuestion}
      title={questions.length === 1 ? 'A question for you' : `${questions.length} questions for you`}
      tone={state.kind === 'submitted' ? 'allow' : 'plain'}
      open={
        <OpenQuestions
          key={content}
          questions={questions}
          raiser={raiser}
          interaction={interaction}
          id={props.toolCallId}
        />
      }
      summary={
        state.kind === 'submitted' && state.sent.kind === 'answers' ? (
          <Chosen questions={questions} answers={state.sent.answers} />
        ) : (
          <UnansweredSummary state={state} about={<VisibleText text={about} />} />
        )
      }
    />
  )
}

interface OpenQuestionsProps {
  readonly questions: readonly Question[]
  readonly raiser: string | undefined
  readonly interaction: Interaction
  readonly id: string
}

function OpenQuestions({ questions, raiser, interaction, id }: OpenQuestionsProps) {
  const { state, submit } = interaction
  const arming = useArming(id)
  const [picks, setPicks] = useState<readonly Pick[]>(() => questions.map(() => NOTHING_PICKED))
  const [isSeen, setSeen] = useState(false)
  const howToSee = useHowToSee()
  const isBusy = state.kind === 'submitting'
  const cannotSend = !isSeen || firstOpen(questions, picks) !== -1
  const error = state.kind === 'pending' ? state.error : undefined

  function change(place: number, next: (pick: Pick) => Pick) {
    if (!isBusy) setPicks((all) => all.map((pick, index) => (index === place ? next(pick) : pick)))
  }
  function send() {
    if (!cannotSend && !isBusy) submit({ kind: 'answers', answers: promptAnswers(questions, picks) })
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (keyDecides(arming, event)) send()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a key of the fields inside.
    <div onKeyDown={onKeyDown} className="flex flex-col gap-4 px-4 py-3.5">
      <RaisedByLine raiser={raiser} />
      <SeenFields label="Questions" content={id} onEndSeen={() => setSeen(true)}>
        {questions.map((question, place) => (
          <QuestionField
            key={place}
            question={question}
            place={place}
            count={questions.length}
            pick={picks[place] ?? NOTHING_PICKED}
            off={isBusy}
            onPick={(option) => change(place, (before) => picked(question, before, option))}
            onWrite={(text) => change(place, (before) => written(question, before, text))}
          />
        ))}
      </SeenFields>
      <EscapeWarning prose={stringsIn(questions)} />
      {error !== undefined && <SubmitError message={error} />}
      <ArmedArea arming={arming} className="flex flex-wrap items-center justify-end gap-2">
        {!isSeen && <span className="text-[13px] text-wait max-sm:basis-full">{howToSee} to answer</span>}
        <ArmedButton variant="primary" off={cannotSend} busy={isBusy} onPress={send} className="max-sm:grow">
          {error === undefined ? 'Submit' : 'Try again'}
        </ArmedButton>
      </ArmedArea>
    </div>
  )
}

interface ChosenProps {
  readonly questions: readonly Question[]
  readonly answers: Readonly<Record<string, string>>
}

/** The answers that were taken, one line for each question. */
function Chosen({ questions, answers }: ChosenProps) {
  return (
    <>
      <Check aria-hidden className="mt-0.5 size-4 shrink-0 text-allow" />
      <ul className="flex min-w-0 flex-col gap-1">
        {questions.map(({ header, question, multiSelect }, place) => (
          <li key={place} className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-0.5">
            <Chip tone="accent">
              <VisibleText text={header ?? question} className="truncate" />
            </Chip>
            <span className="min-w-0 wrap-anywhere">
              <span className="text-quiet">Selected: </span>
              {chosenIn(answers, place, multiSelect).map((label, index) => (
                <span key={index}>
                  {index > 0 && ', '}“<VisibleText text={label} multiline />”
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
