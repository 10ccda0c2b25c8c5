import type { Ask } from '@holdpoint/schema/ask'

/**
 * What a call says besides the form or the questions that the card shows. It runs with this too, so a field that stayed
 * hidden would be allowed unseen (T26). A form that a server asks for by itself belongs to no call.
 */
export function inputNotShownInForm(
  ask: Pick<Ask, 'tool' | 'questions'>,
): Readonly<Record<string, unknown>> | undefined {
  const rest = Object.entries(ask.tool?.input ?? {}).filter(
    ([name, value]) => name !== 'questions' || !isShown(ask, value),
  )
  return rest.length > 0 ? Object.fromEntries(rest) : undefined
}

function isShown({ questions }: Pick<Ask, 'questions'>, value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length === questions?.length &&
    value.every((entry: { question?: unknown } | null, place) => entry?.question === questions[place]?.question)
  )
}
