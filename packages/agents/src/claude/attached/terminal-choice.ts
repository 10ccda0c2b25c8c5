import type { AskRequest, Question } from '@holdpoint/schema/ask'
import type { CallEnd } from '../transcript/call-end.ts'

/** What was chosen at the terminal, in the form in which answers are recorded. */
export type TerminalChoice = Readonly<Record<string, unknown>>

type Asked = Pick<AskRequest, 'kind' | 'questions'>

/** As the end of the call tells it. */
export function choiceOf(
  asked: Asked,
  { end, answers }: { readonly end: CallEnd; readonly answers?: Readonly<Record<string, unknown>> },
): TerminalChoice | undefined {
  switch (end.kind) {
    case 'ran':
      if (asked.kind === 'question') return choiceIn(asked, answers ? { answers } : {})
      return {
        kind: 'allow',
        ...(end.grantScope !== undefined && end.grantScope !== 'once' && { scope: end.grantScope }),
      }
    case 'denied':
      return { kind: asked.kind === 'question' ? 'cancel' : 'deny', ...(end.message && { message: end.message }) }
    case 'refused':
      return { kind: 'deny', message: end.why }
    case 'interrupted':
      return { kind: asked.kind === 'question' ? 'cancel' : 'deny', interrupt: true }
    case 'dropped':
      return undefined
    default:
      return end satisfies never
  }
}

/** As the input tells it that the tool ran with: answers to questions are part of it. */
export function choiceIn(asked: Asked, input: Readonly<Record<string, unknown>>): TerminalChoice {
  if (asked.kind !== 'question') return { kind: 'allow' }
  const given = input.answers
  if (typeof given !== 'object' || given === null) return { kind: 'answer' }
  const byText = new Map(Object.entries(given))
  const answers = (asked.questions ?? []).flatMap((question, index) => {
    const text = byText.get(question.question)
    return typeof text === 'string' ? [{ question: index, ...chosen(question, text) }] : []
  })
  return { kind: 'answer', answers }
}

/** Labels are joined where several can be chosen; what is no label was written by hand. */
function chosen({ options, multiSelect }: Question, text: string): { selected: string[]; other?: string } {
  const labels = new Set(options.map(({ label }) => label))
  if (labels.has(text)) return { selected: [text] }
  const parts = multiSelect ? text.split(', ') : [text]
  const selected = parts.filter((part) => labels.has(part))
  const other = parts.filter((part) => !labels.has(part)).join(', ')
  return { selected, ...(other !== '' && { other }) }
}
