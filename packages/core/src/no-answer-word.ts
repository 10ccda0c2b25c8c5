import type { AskKind } from '@holdpoint/schema/ask'

/** What it is called that a person left a question or a form without an answer; undefined where they answered. */
export function noAnswerWord(ask: AskKind | undefined, answer: unknown): string | undefined {
  if (answer === 'decline') return 'declined'
  if (answer !== 'cancel') return undefined
  return ask === undefined ? 'left without an answer' : ask === 'question' ? 'skipped' : 'cancelled'
}
