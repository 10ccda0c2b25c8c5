import type { Answer } from '@holdpoint/schema/answer'
import type { Question } from '@holdpoint/schema/ask'

/** What is picked for one question. Options go by their place: two may have the same label. */
export interface Pick {
  readonly options: readonly number[]
  readonly other: boolean
  readonly text: string
}

export const NOTHING_PICKED: Pick = { options: [], other: false, text: '' }

/** Picks an option, or takes it back where several may be picked. The place after the last option is "Other". */
export function picked(question: Question, pick: Pick, place: number): Pick {
  const isOther = place === question.options.length
  if (place < 0 || place > question.options.length) return pick
  if (!question.multiSelect) return { ...pick, options: isOther ? [] : [place], other: isOther }
  if (isOther) return { ...pick, other: !pick.other }
  const options = pick.options.includes(place)
    ? pick.options.filter((entry) => entry !== place)
    : [...pick.options, place].sort((left, right) => left - right)
  return { ...pick, options }
}

/** Text in "Other" picks it. */
export function written(question: Question, pick: Pick, text: string): Pick {
  return { options: question.multiSelect ? pick.options : [], other: true, text }
}

export function isAnswered(pick: Pick): boolean {
  return pick.other ? pick.text.trim() !== '' : pick.options.length > 0
}

/** The first question that still wants an answer; -1 when none does. */
export function firstOpen(questions: readonly Question[], picks: readonly Pick[]): number {
  return questions.findIndex((_, index) => !isAnswered(picks[index] ?? NOTHING_PICKED))
}

/** The open question that comes after this one, from the top again where there is none below; -1 when none is open. */
export function nextOpen(questions: readonly Question[], picks: readonly Pick[], after: number): number {
  const below = questions.findIndex((_, index) => index > after && !isAnswered(picks[index] ?? NOTHING_PICKED))
  return below === -1 ? firstOpen(questions, picks) : below
}

/**
 * The question that digits go to: the one with the focus. Else one that takes several options keeps them once it was
 * used, and others hand them on to the next that is open.
 */
export function digitsAt(
  questions: readonly Question[],
  picks: readonly Pick[],
  { focused, used }: { readonly focused: number | undefined; readonly used: number | undefined },
): number {
  if (focused !== undefined) return focused
  if (used !== undefined && questions[used]?.multiSelect) return used
  const open = nextOpen(questions, picks, used ?? -1)
  return open === -1 ? (used ?? 0) : open
}

type Answers = Extract<Answer, { kind: 'answer' }>['answers']

export function answersOf(questions: readonly Question[], picks: readonly Pick[]): Answers {
  return questions.map((question, index) => {
    const pick = picks[index] ?? NOTHING_PICKED
    const labels = pick.options.flatMap((place) => question.options[place]?.label ?? [])
    return {
      question: index,
      selected: [...new Set(labels)],
      ...(pick.other && pick.text.trim() !== '' && { other: pick.text }),
    }
  })
}
