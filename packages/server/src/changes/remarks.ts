import type { KnownFile } from './known-file.ts'

export const BEGAN_LATE =
  'The session had begun before its files were looked at. What it had changed by then is not in this list.'
export const FOLDER_GONE = 'The folder of the session is not there any more.'

/** Folders that a remark names. */
const NAMED = 3

export function slowRemark(asked: number, waitMs: number): string[] {
  const ms = performance.now() - asked
  if (ms <= waitMs) return []
  const seconds = (ms / 1000).toFixed(1)
  return [`To look at all files took ${seconds} s. What the agent changed in that time may be missing.`]
}

export function unreadRemark(unread: readonly string[]): string[] {
  if (unread.length === 0) return []
  const named = unread
    .slice(0, NAMED)
    .map((path) => path || 'the folder itself')
    .join(', ')
  const more = unread.length > NAMED ? ` and ${unread.length - NAMED} more folders` : ''
  return [`Not all files were looked at. Left out, in part or whole: ${named}${more}.`]
}

export function noRoomRemark(known: Iterable<KnownFile>): string[] {
  let count = 0
  for (const { why } of known) if (why === 'full') count++
  if (count === 0) return []
  const files = count === 1 ? '1 file' : `${count.toLocaleString('en')} files`
  return [`There was no room to keep the earlier content of ${files}.`]
}
