import { type Answer, QuestionAnswer } from '@holdpoint/schema/answer'
import type { Ask, Question } from '@holdpoint/schema/ask'
import { z } from 'zod'
import { issuesOf } from '../../transport/issues.ts'

type Given = z.infer<typeof QuestionAnswer>['answers'][number]

/** One text: a label, labels joined by ", ", or words of one's own. Or an array of labels and words of one's own. */
export const TextAnswer = z.union([z.string(), z.array(z.string()).max(20)])
export type TextAnswer = z.infer<typeof TextAnswer>

export type ReadAnswer = { ok: true; answer: Answer } | { ok: false; issues: readonly string[] }

/** Answers by the exact wording of the questions. */
export function answersByWording(
  ask: Pick<Ask, 'questions'>,
  answers: Readonly<Record<string, TextAnswer>>,
): ReadAnswer {
  const entries = Object.entries(answers).map(([wording, value]) => ({ question: questionIndex(ask, wording), value }))
  const known = entries.flatMap(({ question, value }) => (question === undefined ? [] : [{ question, value }]))
  if (known.length < entries.length)
    return { ok: false, issues: ['answers: keys are the exact texts of the questions'] }
  const answer = QuestionAnswer.safeParse({ kind: 'answer', answers: textAnswers(ask.questions ?? [], known) })
  return answer.success ? { ok: true, answer: answer.data } : { ok: false, issues: issuesOf(answer.error) }
}

/**
 * Answers as protocols send them that know only text. What goes back to the agent is the same text again, whatever it is
 * taken apart into here; of an array, its labels and then its other texts, joined by ", ". A value without any text is
 * how a form sends a question that was left out.
 */
export function textAnswers(
  questions: readonly Question[],
  answers: readonly { readonly question: number; readonly value: TextAnswer }[],
): Given[] {
  const given = answers.filter(({ value }) => [value].flat().some((text) => text.trim() !== ''))
  return given.map(({ question, value }) => {
    const asked = questions[question]
    const options = asked?.options ?? []
    if (typeof value !== 'string') return { question, ...partsOfList(options, value) }
    return { question, ...(asked ? partsOf(asked, value) : { selected: [], other: value }) }
  })
}

/** The one question of this wording. Of two of the same wording, as older records may have them, none is meant. */
function questionIndex(ask: Pick<Ask, 'questions'>, wording: string): number | undefined {
  const [index, another] = (ask.questions ?? []).flatMap(({ question }, place) => (question === wording ? [place] : []))
  return another === undefined ? index : undefined
}

function partsOfList(options: Question['options'], entries: readonly string[]): Omit<Given, 'question'> {
  const isLabel = (entry: string) => options.some(({ label }) => label === entry)
  const other = entries.filter((entry) => !isLabel(entry)).join(', ')
  return { selected: entries.filter(isLabel), ...(other !== '' && { other }) }
}

function partsOf({ options, multiSelect }: Question, text: string): Omit<Given, 'question'> {
  // Longest first: a label may begin like another, and may have commas in it.
  const labels = options.map(({ label }) => label).sort((a, b) => b.length - a.length)
  if (labels.includes(text)) return { selected: [text] }
  if (!multiSelect) return { selected: [], other: text }
  const selected: string[] = []
  let rest = text
  for (;;) {
    const label = labels.find((one) => !selected.includes(one) && (rest === one || rest.startsWith(`${one}, `)))
    if (label === undefined) return rest.trim() === '' ? { selected: [], other: text } : { selected, other: rest }
    selected.push(label)
    if (rest === label) return { selected }
    rest = rest.slice(label.length + 2)
  }
}
