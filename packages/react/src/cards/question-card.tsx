import type { Answer } from '@holdpoint/schema/answer'
import { type KeyboardEvent, useState } from 'react'
import { ArmedButton, keyDecides, useArming } from '../arming.tsx'
import { EscapeWarning } from '../visible-text.tsx'
import { ActionRow, Spacer, WIDE_ON_PHONE } from './action-row.tsx'
import { AnswerStatus } from './answer-status.tsx'
import { CardFrame, type OpenCardProps } from './card-frame.tsx'
import { QuestionField } from './question-field.tsx'
import { answersOf, firstOpen, NOTHING_PICKED, type Pick, picked, written } from './question-state.ts'

const SKIP_HINT = 'Skip tells the agent that you chose not to answer'

/** Questions with options; all of them on one card, sent together. */
export function QuestionCard(card: OpenCardProps) {
  const { ask, state } = card
  const questions = ask.questions ?? []
  const arming = useArming(`${ask.id} ${ask.digest}`)
  const [picks, setPicks] = useState<readonly Pick[]>(() => questions.map(() => NOTHING_PICKED))

  const sent = state.kind === 'submitting' ? state.answer : undefined
  const off = card.blocked !== undefined || sent !== undefined
  const frozen = card.session?.frozen === true
  const open = firstOpen(questions, picks)
  const cannotSend = off || frozen || open !== -1

  function change(place: number, next: (pick: Pick) => Pick) {
    setPicks((all) => all.map((pick, index) => (index === place ? next(pick) : pick)))
  }
  function pick(place: number, option: number) {
    const question = questions[place]
    if (question && !off) change(place, (before) => picked(question, before, option))
  }
  function send(answer: Answer) {
    if (!sent) card.onAnswer(ask, answer)
  }
  function submit() {
    send({ kind: 'answer', digest: ask.digest, answers: answersOf(questions, picks) })
  }
  function onKey(event: KeyboardEvent) {
    if (/^[1-9]$/.test(event.key)) {
      const place = focusedQuestion(event) ?? Math.max(open, 0)
      const option = Number(event.key) - 1
      pick(place, option)
      event.preventDefault()
      if (option === questions[place]?.options.length) focusOther(event, place)
    } else if (event.key === 'Enter' && !isButton(event)) {
      event.preventDefault()
      if (!cannotSend && keyDecides(arming, event)) submit()
    }
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    if (!cannotSend && keyDecides(arming, event)) submit()
  }

  return (
    <CardFrame card={card} arming={arming} onKey={onKey}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+Enter is a key of the fields inside. */}
      <div onKeyDown={onKeyDown} className="flex flex-col gap-4 px-4">
        {questions.map((question, place) => (
          <QuestionField
            key={place}
            question={question}
            place={place}
            count={questions.length}
            pick={picks[place] ?? NOTHING_PICKED}
            off={off}
            onPick={(option) => pick(place, option)}
            onWrite={(text) => change(place, (before) => written(question, before, text))}
          />
        ))}
        <EscapeWarning texts={questions.flatMap(textsOf)} />
      </div>
      <AnswerStatus card={card} />
      <ActionRow
        arming={arming}
        hint={<p className="pb-2 text-center text-[13px] text-faint sm:hidden">{SKIP_HINT}</p>}
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
          off={cannotSend && sent?.kind !== 'answer'}
          busy={sent?.kind === 'answer'}
          onPress={submit}
          className={WIDE_ON_PHONE}
        >
          {questions.length > 1 ? 'Send answers' : 'Send answer'}
        </ArmedButton>
      </ActionRow>
    </CardFrame>
  )
}

function focusedQuestion(event: KeyboardEvent): number | undefined {
  const field = event.target instanceof Element ? event.target.closest('[data-question]') : null
  const place = field?.getAttribute('data-question')
  return place == null ? undefined : Number(place)
}

function focusOther(event: KeyboardEvent, place: number) {
  event.currentTarget.querySelector<HTMLElement>(`[data-question="${place}"] textarea`)?.focus()
}

function isButton(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('button, a, summary') !== null
}

function textsOf(question: NonNullable<OpenCardProps['ask']['questions']>[number]): string[] {
  const { header = '', options } = question
  return [
    question.question,
    header,
    ...options.flatMap(({ label, description = '', preview = '' }) => [label, description, preview]),
  ]
}
