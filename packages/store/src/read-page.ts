/**
 * Reads entries one after another, until they have so many characters together: the one with which they do is the last.
 * What is large is not even read then.
 */
export function readPage<Entry, Value>(
  entries: Iterable<Entry>,
  size: number,
  read: (entry: Entry) => { readonly value: Value; readonly size: number },
): Value[] {
  const page: Value[] = []
  let length = 0
  for (const entry of entries) {
    if (length >= size) break
    const found = read(entry)
    page.push(found.value)
    length += found.size
  }
  return page
}
