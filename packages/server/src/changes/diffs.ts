import type { ChangedFile, FileDiff, WhyNoLines } from '@holdpoint/schema/changed-files'
import { readBelow } from '../files/safe-file.ts'
import type { Pair } from './compare-trees.ts'
import type { Contents } from './contents.ts'
import { type KnownFile, textOf, type WhyNotKept } from './known-file.ts'
import { type TextDiff, textDiff } from './text-diff.ts'

/** The content of a changed file as it is now, or was at the session's end. */
type ReadAfter = (pair: Pair) => Buffer | 'large' | 'unreadable' | undefined

export interface Sources {
  readonly contents: Contents
  readonly readAfter: ReadAfter
}

/** For all the lines of one list that have to be counted; what comes after it is not counted. */
const COUNT_MS = 1000
const MAX_COUNTED = 2000

/** Compares contents. Remembers how many lines differ, so that a list that is asked for again costs no second look. */
export function createDiffs() {
  const counts = new Map<string, Pick<TextDiff, 'added' | 'removed'>>()

  function compared(pair: Pair, sources: Sources): TextDiff | WhyNoLines {
    const whys = [pair.before?.why, pair.after?.why].filter((why) => why !== undefined)
    if (whys.length > 0) return wordOf(whys)
    const before = pair.before && contentOf(pair.before, sources.contents)
    const after = pair.after && sources.readAfter(pair)
    if (after === 'large') return 'large'
    if (after === 'unreadable' || (pair.before && !before) || (pair.after && !after)) return 'not-kept'
    const [beforeText, afterText] = [before && textOf(before), after && textOf(after)]
    if ((before && beforeText === undefined) || (after && afterText === undefined)) return 'binary'
    return textDiff(pair.path, beforeText, afterText) ?? 'too-different'
  }

  function counted(pair: Pair, sources: Sources): Partial<ChangedFile> {
    const key = `${stampOf(pair.before)} ${stampOf(pair.after)}`
    const known = counts.get(key)
    if (known) return known
    const result = compared(pair, sources)
    if (typeof result === 'string') return { why: result }
    const { added, removed } = result
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(key, { added, removed })
    return { added, removed }
  }

  return {
    readerOf:
      (root: string, limit: number): ReadAfter =>
      ({ path }) => {
        const read = readBelow(root, path, limit)
        return 'bytes' in read ? read.bytes : read.why
      },

    async list(
      pairs: readonly Pair[],
      { limit, pause, ...sources }: Sources & { readonly limit: number; readonly pause: () => Promise<void> },
    ): Promise<ChangedFile[]> {
      const end = performance.now() + COUNT_MS
      const files: ChangedFile[] = []
      for (const pair of pairs.slice(0, limit)) {
        await pause()
        files.push({ ...factsOf(pair), ...(performance.now() < end && counted(pair, sources)) })
      }
      return files
    },

    one(pair: Pair, sources: Sources): FileDiff {
      const result = compared(pair, sources)
      if (typeof result === 'string') return { file: { ...factsOf(pair), why: result } }
      const { diff, added, removed } = result
      return { file: { ...factsOf(pair), added, removed }, diff }
    },
  }
}

/** Stands for one content. */
function stampOf(known: KnownFile | undefined): string {
  return known ? (known.hash ?? [known.ino, known.ctimeMs, known.mtimeMs, known.size].join()) : ''
}

function contentOf(known: KnownFile, contents: Contents): Buffer | undefined {
  return known.hash === undefined ? undefined : contents.get(known.hash)
}

function wordOf(whys: readonly WhyNotKept[]): WhyNoLines {
  if (whys.includes('large')) return 'large'
  return whys.includes('binary') ? 'binary' : 'not-kept'
}

function factsOf({ path, before, after }: Pair): ChangedFile {
  const status = before ? (after ? 'changed' : 'deleted') : 'added'
  const kind = (after ?? before)?.kind ?? 'file'
  const isOther = before && after && before.isExecutable !== after.isExecutable
  return { path, status, kind, ...(isOther && { executable: after.isExecutable }) }
}
