import { type KeyboardEvent, useMemo, useState } from 'react'
import { keyDecides } from '../arming.tsx'
import { AnswerFrame, useCardAnswering } from './answer-frame.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { QuestionActions } from './question-actions.tsx'
import { QuestionField } from './question-field.tsx'
import { answersOf, firstOpen, NOTHING_PICKED, type Pick, picked, written } from './question-state.ts'
import { questionTexts } from './question-texts.ts'

/** Questions with options; all of them on one card, sent together. */
export function QuestionCard(card: OpenCardProps) {
  const { ask } = card
  const questions = ask.questions ?? []
  const answering = useCardAnswering(card)
  const [picks, setPicks] = useState<readonly Pick[]>(() => questions.map(() => NOTHING_PICKED))
  const texts = useMemo(() => questionTexts(ask), [ask])

  const { arming, off, cannotSend, send } = answering
  const open = firstOpen(questions, picks)

  function change(place: number, next: (pick: Pick) => Pick) {
    setPicks((all) => all.map((pick, index) => (index === place ? next(pick) : pick)))
  }
  function pick(place: number, option: number) {
    const question = questions[place]
    if (question && !off) change(place, (before) => picked(question, before, option))
  }
  function submit() {
    if (open === -1) send({ kind: 'answer', digest: ask.digest, answers: answersOf(questions, picks) })
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

  return (
    <AnswerFrame
      card={card}
      answering={answering}
      texts={texts}
      onKey={onKey}
      onSubmitKey={submit}
      actions={<QuestionActions ask={ask} answering={answering} unready={open !== -1} onSubmit={submit} />}
    >
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
    </AnswerFrame>
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
