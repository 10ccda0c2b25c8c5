import type { CardPart, Display } from '@holdpoint/schema/display'

/** The name of the input's field that a part of the card shows, as the driver says. */
export function shownField(display: Display | undefined, wanted: CardPart): string | undefined {
  return Object.entries(display?.shownIn ?? {}).find(([, part]) => part === wanted)?.[0]
}
