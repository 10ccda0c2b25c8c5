// Letters, digits, everything beyond ASCII, and control characters other than line feed and tab.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not get lost.
const COUNTED = /[A-Za-z0-9\u0000-\u0008\u000B-\u001F\u007F-\u{10FFFF}]/gu
// What takes other letters when it is shown: an entity, the number of an item, the tick of a task. The indent has a bound
// and ends with its line, or a thousand empty lines would take a million steps.
const REWRITTEN = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});|^[ \t>]{0,64}\d{1,9}[.)](?=\s)|\[x\](?=\s)/gim

/**
 * Whether every letter of a markdown source is among what is shown of it. A parser drops what the format says means
 * nothing, such as a cell too many: a place to hide a sentence in.
 */
export function nothingLost(source: string, shown: string): boolean {
  const left = counts(shown)
  for (const [character, count] of counts(source.trim().replace(REWRITTEN, ''))) {
    if (count > (left.get(character) ?? 0)) return false
  }
  return true
}

function counts(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [character] of text.matchAll(COUNTED)) found.set(character, (found.get(character) ?? 0) + 1)
  return found
}
