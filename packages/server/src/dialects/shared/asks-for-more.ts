import { inputNotShownInForm } from '@holdpoint/core/input-not-shown-in-form'
import type { Ask } from '@holdpoint/schema/ask'

/**
 * Whether an answer to these questions would let a call run of which the questions are not all (T26). A protocol that
 * shows questions alone must not take an answer to it: the person would allow what they have not seen.
 */
export function asksForMore(ask: Ask): boolean {
  return ask.kind === 'question' && ask.tool?.name !== 'AskUserQuestion' && inputNotShownInForm(ask) !== undefined
}
