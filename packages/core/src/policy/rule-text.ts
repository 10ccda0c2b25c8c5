/** The text of a rule for a command with exactly these words, or with any words behind them. Read back, it has the same words. */
export function commandRule(words: readonly string[], isOpen = false): string {
  return `Bash(${[...words.map(written), ...(isOpen ? ['*'] : [])].join(' ')})`
}

function written(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word
  if (word === '') return "''"
  // Empty quotes inside of a word are none that a rule can be read from.
  return word
    .split("'")
    .map((text) => (text === '' ? '' : `'${text}'`))
    .join("\\'")
}
