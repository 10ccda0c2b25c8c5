/** Also while somebody types: it is no letter. */
export function isPaletteKey(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, shiftKey, altKey, repeat } = event
  return key.toLowerCase() === 'k' && ctrlKey !== metaKey && !shiftKey && !altKey && !repeat
}
