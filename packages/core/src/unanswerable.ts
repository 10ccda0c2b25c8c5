import type { Question } from '@holdpoint/schema/ask'

/**
 * Why answers to these questions would not arrive as they were given: whoever asked reads them by the wording of the
 * question and the label of the option. Undefined where they would.
 */
export function unanswerable(questions: readonly Question[]): string | undefined {
  const wordings = questions.map(({ question }) => question)
  if (hasTwice(wordings)) return 'Two of these questions have the same text. Ask again with distinct questions.'
  // Schemas drop this key, the agent's own included.
  if (wordings.includes('__proto__')) return 'A question with the text "__proto__" cannot be answered. Use other words.'
  if (questions.some(({ options }) => hasTwice(options.map(({ label }) => label))))
    return 'Two options of one question have the same label. Ask again with distinct options.'
  return undefined
}

function hasTwice(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length
}
