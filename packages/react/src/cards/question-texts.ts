import type { Ask } from '@holdpoint/schema/ask'

/** All texts of an ask's questions, for the line that warns of escapes. */
export function questionTexts({ questions = [] }: Pick<Ask, 'questions'>): readonly string[] {
  return questions.flatMap(({ question, header = '', options }) => [
    question,
    header,
    ...options.flatMap(({ label, description = '', preview = '' }) => [label, description, preview]),
  ])
}
