import type { Range } from './looks.ts'
import type { DiffLine, UnifiedDiff } from './unified-diff.ts'
import { pairLines } from './unified-diff.ts'

const MOST_PAIRS = 400
const LONGEST_LINE = 500
const TIME_LIMIT_MS = 20

export type ChangedWords = ReadonlyMap<DiffLine, readonly Range[]>

/** Which parts of a line changed, for lines that came in the place of another. Nothing for those with little in common. */
export async function changedWords(diff: UnifiedDiff): Promise<ChangedWords> {
  const { diffWordsWithSpace } = await import('diff')
  const found = new Map<DiffLine, readonly Range[]>()
  const pairs = diff.hunks.flatMap((hunk) => pairLines(hunk.lines)).filter((row) => row.old !== row.new)
  for (const { old: before, new: after } of pairs.slice(0, MOST_PAIRS)) {
    if (!before || !after || before.text.length > LONGEST_LINE || after.text.length > LONGEST_LINE) continue
    const changes = diffWordsWithSpace(before.text, after.text, { timeout: TIME_LIMIT_MS })
    if (!changes) continue
    let oldAt = 0
    let newAt = 0
    let same = 0
    const removed: Range[] = []
    const added: Range[] = []
    for (const { value, added: isNew, removed: isOld } of changes) {
      if (isOld) removed.push({ start: oldAt, end: oldAt + value.length })
      if (isNew) added.push({ start: newAt, end: newAt + value.length })
      if (!isOld && !isNew) same += value.trim().length
      if (!isNew) oldAt += value.length
      if (!isOld) newAt += value.length
    }
    if (same * 3 < Math.max(before.text.trim().length, after.text.trim().length)) continue
    found.set(before, removed)
    found.set(after, added)
  }
  return found
}
