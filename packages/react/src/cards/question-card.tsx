import { type KeyboardEvent, useMemo, useState } from 'react'
import { keyDecides } from '../arming/arming.tsx'
import { isInSight } from '../arming/in-sight.ts'
import { AnswerFrame, useCardAnswering } from './answer-frame.tsx'
import { isButton, type OpenCardProps } from './card-frame.tsx'
import { QuestionActions } from './question-actions.tsx'
import { QuestionField } from './question-field.tsx'
import {
  answersOf,
  digitsAt,
  firstOpen,
  NOTHING_PICKED,
  nextOpen,
  type Pick,
  picked,
  written,
} from './question-state.ts'
import { questionTexts } from './question-texts.ts'

/** Questions with options; all of them on one card, sent together. */
export function QuestionCard(card: OpenCardProps) {
  const { ask } = card
  const questions = ask.questions ?? []
  const answering = useCardAnswering(card)
  const [picks, setPicks] = useState<readonly Pick[]>(() => questions.map(() => NOTHING_PICKED))
  const [focused, setFocused] = useState<number>()
  const [used, setUsed] = useState<number>()
  /** The digit that has only brought its option into sight: the next key does not send without it. */
  const [repeat, setRepeat] = useState<string>()
  const texts = useMemo(() => questionTexts(ask), [ask])

  const { arming, off, cannotSend, send } = answering
  const open = firstOpen(questions, picks)
  const digits = digitsAt(questions, picks, { focused, used })

  function change(place: number, next: (pick: Pick) => Pick) {
    setUsed(place)
    setRepeat(undefined)
    setPicks((all) => all.map((pick, index) => (index === place ? next(pick) : pick)))
  }
  function pick(place: number, option: number) {
    const question = questions[place]
    if (question && !off) change(place, (before) => picked(question, before, option))
  }
  /** The focus leaves a question that has its one answer: the next digit is for the next question. */
  function handOn(event: KeyboardEvent, option: number) {
    const question = questions[digits]
    if (!question || question.multiSelect || option > question.options.length) return
    const after = picks.map((entry, place) => (place === digits ? picked(question, entry, option) : entry))
    const next = nextOpen(questions, after, digits)
    if (next !== -1) focusQuestion(event, next)
  }
  function submit() {
    if (open === -1) send({ kind: 'answer', digest: ask.digest, answers: answersOf(questions, picks) })
  }
  function submitByKey() {
    if (repeat === undefined) submit()
    else setRepeat(undefined)
  }
  function onKey(event: KeyboardEvent) {
    if (/^[1-9]$/.test(event.key)) {
      const option = Number(event.key) - 1
      event.preventDefault()
      if (!bringIntoSight(event, digits, option)) return setRepeat(event.key)
      pick(digits, option)
      if (option === questions[digits]?.options.length) focusOther(event, digits)
      else if (focused === digits && !off) handOn(event, option)
    } else if (event.key === 'Enter' && !isButton(event)) {
      event.preventDefault()
      // On to the question that is still open.
      if (open !== -1) setUsed(undefined)
      else if (!cannotSend && keyDecides(arming, event)) submitByKey()
    }
  }

  return (
    <AnswerFrame
      card={card}
      answering={answering}
      texts={texts}
      onKey={onKey}
      onSubmitKey={submitByKey}
      actions={
        <QuestionActions ask={ask} answering={answering} unready={open !== -1} repeat={repeat} onSubmit={submit} />
      }
    >
      {questions.map((question, place) => (
        <QuestionField
          key={place}
          question={question}
          place={place}
          count={questions.length}
          pick={picks[place] ?? NOTHING_PICKED}
          off={off}
          digits={place === digits ? 'here' : 'elsewhere'}
          onFocus={() => setFocused(place)}
          onBlur={() => setFocused(undefined)}
          onPick={(option) => pick(place, option)}
          onWrite={(text) => change(place, (before) => written(question, before, text))}
        />
      ))}
    </AnswerFrame>
  )
}

/** A digit picks only what the person can see: an option that is out of sight is brought there first (T26). */
function bringIntoSight(event: KeyboardEvent, place: number, option: number): boolean {
  const box = event.currentTarget.querySelectorAll(`[data-question="${place}"] input`)[option]
  // There is nothing to bring.
  if (!box || isInSight(box)) return true
  box.scrollIntoView({ block: 'center' })
  return false
}

function focusQuestion(event: KeyboardEvent, place: number) {
  const question = event.currentTarget.querySelector<HTMLElement>(`[data-question="${place}"]`)
  question?.querySelector('input')?.focus({ preventScroll: true })
  question?.scrollIntoView({ block: 'center' })
}

function focusOther(event: KeyboardEvent, place: number) {
  event.currentTarget.querySelector<HTMLElement>(`[data-question="${place}"] textarea`)?.focus()
}
