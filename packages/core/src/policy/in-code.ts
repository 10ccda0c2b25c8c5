/** As many backticks at its end as at its beginning: more than stand together in it. */
const CODE = /(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/s

/**
 * Words of a call inside of a sentence, told from the sentence by backticks which they cannot end: what an agent has written
 * must not go on as our own words (T27).
 */
export function inCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`
}

/** The pieces of such a sentence. */
export function piecesOf(sentence: string): readonly { readonly text: string; readonly isCode: boolean }[] {
  const found = CODE.exec(sentence)
  if (!found) return [{ text: sentence, isCode: false }]
  const [whole, fence = '', inside = ''] = found
  return [
    { text: sentence.slice(0, found.index), isCode: false },
    { text: fence.length > 1 ? inside.slice(1, -1) : inside, isCode: true },
    ...piecesOf(sentence.slice(found.index + whole.length)),
  ]
}
