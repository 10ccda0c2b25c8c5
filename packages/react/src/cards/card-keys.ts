/** Keys that a card with the focus takes. On a line of the inbox they open its card. */
export const CARD_KEYS = /^[ader1-9]$/
