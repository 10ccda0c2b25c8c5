import type { Question } from '@holdpoint/schema/ask'
import type { QuestionItem } from '@holdpoint/schema/turn-stream'
import { answersOf, type Pick } from '../cards/question-state.ts'

/** A question as the cards draw it. */
export function questionOf({ header, question, options, multiSelect }: QuestionItem): Question {
  return {
    question,
    ...(header && { header }),
    options: options.map(({ label, description }) => ({ label, ...(description !== undefined && { description }) })),
    multiSelect,
  }
}

/** By the question's place, as text; where several may be chosen, a JSON array. The person's own words come last. */
export function promptAnswers(questions: readonly Question[], picks: readonly Pick[]): Record<string, string> {
  const answers = answersOf(questions, picks).map(({ question, selected, other }) => {
    const chosen = [...selected, ...(other === undefined ? [] : [other])]
    return [String(question), questions[question]?.multiSelect ? JSON.stringify(chosen) : (chosen[0] ?? '')]
  })
  return Object.fromEntries(answers)
}

/** What was chosen for a question, from the answers that were sent. */
export function chosenIn(
  answers: Readonly<Record<string, string>>,
  place: number,
  multiSelect: boolean,
): readonly string[] {
  const answer = answers[String(place)]
  if (answer === undefined) return []
  return multiSelect ? (JSON.parse(answer) as string[]) : [answer]
}
