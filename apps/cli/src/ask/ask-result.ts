import type { Ask } from '@holdpoint/schema/ask'
import type { Outcome } from '@holdpoint/schema/outcome'

export type SettledAsk = Ask & { readonly outcome: Outcome }

/** What became of a question, or of a form. Expired is nobody's answer, and never told as one. */
export interface AskResult {
  readonly id: string
  readonly status: 'answered' | 'skipped' | 'expired' | 'withdrawn'
  /** The label that was chosen, or the person's own words. */
  readonly answer?: string
  /** The place of the option that was chosen: 1 is the first. Not set for the person's own words. */
  readonly option?: number
  /** Of a form: the fields by their names. */
  readonly content?: Readonly<Record<string, unknown>>
  /** The device that answered. */
  readonly by?: string
  readonly at: string
}

export function askResult(ask: SettledAsk): AskResult {
  const { id, outcome } = ask
  const settled = { ...(outcome.by && { by: outcome.by.name }), at: new Date(outcome.at).toISOString() }
  switch (outcome.kind) {
    case 'answered':
      return { id, status: 'answered', ...(ask.kind === 'form' ? contentOf(ask) : givenAnswer(ask)), ...settled }
    // Questions and forms are answered, not allowed. Whatever else comes here must not be taken for a yes.
    case 'allowed':
    case 'denied':
      return { id, status: 'skipped', ...settled }
    case 'expired':
    case 'withdrawn':
      return { id, status: outcome.kind, ...settled }
    default:
      return outcome.kind satisfies never
  }
}

function givenAnswer({ questions = [], outcome }: Ask): Pick<AskResult, 'answer' | 'option'> {
  const answers = (outcome?.answer?.answers ?? []) as { selected: readonly string[]; other?: string }[]
  const [label] = answers[0]?.selected ?? []
  if (label === undefined) return { answer: answers[0]?.other ?? '' }
  const place = questions[0]?.options.findIndex((option) => option.label === label) ?? -1
  return { answer: label, ...(place >= 0 && { option: place + 1 }) }
}

function contentOf({ outcome }: Ask): Pick<AskResult, 'content'> {
  return { content: (outcome?.answer?.content ?? {}) as Record<string, unknown> }
}
