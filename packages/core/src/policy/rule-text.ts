/** The text of a rule for a command with exactly these words, or with any words behind them. Read back, it has the same words. */
export function commandRule(words: readonly string[], isOpen = false): string {
  return `Bash(${[...words.map(written), ...(isOpen ? ['*'] : [])].join(' ')})`
}

/** A word with both kinds of quotes has no form that a rule can be read from. */
function written(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}
