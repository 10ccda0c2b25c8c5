const SETTLED = '[data-state^="settled"], [data-state="expired"], [data-state="withdrawn"]'

/** The first card inside that can be seen and is not settled. */
export function openCard(container: HTMLElement): HTMLElement | undefined {
  const cards = container.querySelectorAll<HTMLElement>(`[data-ask-id]:not(${SETTLED})`)
  return [...cards].find(isDrawn)
}

export function isDrawn(card: HTMLElement): boolean {
  return card.getClientRects().length > 0
}
