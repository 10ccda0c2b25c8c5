import { isNo, isPlainYes, PLAN_YES, type ScreenDialog } from '@holdpoint/agents/claude/screen/screen-dialog'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'

const TYPED = /^(?:(y|yes)|(n|no)|([1-9]\d?))(?:\r\n|\r|\n)?$/i

/**
 * The answer that a person means who types this while the ask is open; undefined where it is none that can be told for
 * sure. `dialog` is the ask's own, where its screen is seen from here: its numbers are what the person reads.
 */
export function typedAnswer(
  input: string,
  ask: Pick<Ask, 'kind' | 'questions'>,
  dialog?: ScreenDialog,
): Answer | undefined {
  const [whole, yes, no, number] = TYPED.exec(input) ?? []
  if (whole === undefined) return undefined
  switch (ask.kind) {
    case 'approval':
    case 'plan':
      if (no !== undefined) return { kind: 'deny' }
      return yes !== undefined ? { kind: 'allow' } : numbered(Number(number), ask, dialog)
    case 'question':
      if (no !== undefined) return { kind: 'cancel' }
      return yes !== undefined ? undefined : chosen(Number(number), ask)
    case 'form':
      return no !== undefined ? { kind: 'cancel' } : undefined
    default:
      return ask.kind satisfies never
  }
}

/** Only what decides by itself: several choices take more than one key. */
function chosen(number: number, { questions = [] }: Pick<Ask, 'questions'>): Answer | undefined {
  const [question, another] = questions
  const option = another || question?.multiSelect ? undefined : question?.options[number - 1]
  // A label such as "2" on another place: either could be meant.
  if (question?.options.some((one) => one !== option && one.label === String(number))) return undefined
  return option && { kind: 'answer', answers: [{ question: 0, selected: [option.label] }] }
}

/** Options that also change what is asked later on are for the terminal itself. */
function numbered(number: number, { kind }: Pick<Ask, 'kind'>, dialog?: ScreenDialog): Answer | undefined {
  // Claude Code's first option is the plain yes, but for plans.
  if (!dialog) return number === 1 && kind === 'approval' ? { kind: 'allow' } : undefined
  const option = dialog.options[number - 1]
  if (!option) return undefined
  if (isPlainYes(option) || (kind === 'plan' && PLAN_YES.test(option.label))) return { kind: 'allow' }
  return isNo(option) ? { kind: 'deny' } : undefined
}
