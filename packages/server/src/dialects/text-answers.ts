import type { QuestionAnswer } from '@holdpoint/schema/answer'
import type { Ask, Question } from '@holdpoint/schema/ask'
import type { z } from 'zod'

type Given = z.infer<typeof QuestionAnswer>['answers'][number]

/**
 * Answers as protocols send them that know only text: a label, labels joined by ", ", or words of one's own. What goes
 * back to the agent is the same text again, whatever it is taken apart into here.
 */
export function textAnswers(
  questions: readonly Question[],
  answers: readonly { readonly question: number; readonly text: string }[],
): Given[] {
  return answers.map(({ question, text }) => {
    const asked = questions[question]
    return { question, ...(asked ? partsOf(asked, text) : { selected: [], other: text }) }
  })
}

/** The questions by their wording. Two of one wording never get this far: they are sent back to the agent. */
export function questionIndex(ask: Pick<Ask, 'questions'>, wording: string): number | undefined {
  const index = (ask.questions ?? []).findIndex(({ question }) => question === wording)
  return index < 0 ? undefined : index
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
