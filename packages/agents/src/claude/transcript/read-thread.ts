import type { Item } from '@holdpoint/schema/item'
import { openFile } from '../../files/open-file.ts'
import { readEntry } from './entry.ts'
import { linesBackwards } from './lines-backwards.ts'
import { identifiedItems } from './transcript-items.ts'

/** A page looks at no more than this, however few items that gives: opening a page takes a bounded time. */
const PAGE_BYTES = 32 * 1024 * 1024

export interface ThreadPageOptions {
  /** From the page after this one; left out, the page ends with the newest item. */
  readonly before?: number
  readonly limit?: number
}

export interface ThreadPage {
  /** Oldest first. A page may have none though there are older ones. */
  readonly items: readonly Item[]
  /** Where the next older page ends; absent at the start of the conversation. */
  readonly before?: number
}

/** A page of a transcript's thread, read from its end towards its start. Undefined when there is no such file. */
export async function readThread(path: string, options: ThreadPageOptions = {}): Promise<ThreadPage | undefined> {
  const { limit = 100 } = options
  const file = await openFile(path)
  if (!file) return undefined
  const pages: Item[][] = []
  const seen = new Set<string>()
  let count = 0
  try {
    const end = Math.min(options.before ?? file.size, file.size)
    const lines = linesBackwards(file.handle, { before: end, maxBytes: PAGE_BYTES })
    for (;;) {
      const next = await lines.next()
      if (next.done) return page(pages, next.value)
      const { bytes, offset } = next.value
      const entry = readEntry(bytes)
      // A transcript that was written in two pieces can hold an entry twice.
      const items = entry ? identifiedItems(entry, { offset }).filter(({ id }) => !seen.has(id)) : []
      if (items.length === 0) continue
      for (const { id } of items) seen.add(id)
      pages.push(items)
      count += items.length
      if (count >= limit) return page(pages, offset)
    }
  } finally {
    await file.handle.close()
  }
}

function page(pages: readonly Item[][], before: number): ThreadPage {
  return { items: [...pages].reverse().flat(), ...(before > 0 && { before }) }
}
