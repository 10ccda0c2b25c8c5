const FENCE = /^ {0,3}(`{3,}|~{3,})/
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/

/**
 * The text cut at blank lines where one block surely ends, so that a message that grows is parsed only at its end. The
 * pieces, joined, are the text.
 */
export function markdownBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  let start = 0
  let fence: string | undefined
  let list = false
  let blank = false
  for (let at = 0; at < text.length; ) {
    const feed = text.indexOf('\n', at)
    const end = feed < 0 ? text.length : feed + 1
    const line = text.slice(at, end).trimEnd()
    if (line === '') blank ||= fence === undefined
    else {
      // An indented line after a blank one may still belong to a list item, and so may the next item.
      if (blank && !/^\s/.test(line) && !(list && LIST_ITEM.test(line))) {
        blocks.push(text.slice(start, at))
        start = at
        list = false
      }
      blank = false
      list ||= LIST_ITEM.test(line)
      fence = fenceAfter(fence, line)
    }
    at = end
  }
  blocks.push(text.slice(start))
  return blocks
}

/** The fence that is open after this line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const found = FENCE.exec(line)?.[1]
  if (open === undefined) return found
  const closes = found?.startsWith(open) && line.trim() === found
  return closes ? undefined : open
}
