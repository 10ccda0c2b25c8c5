import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SessionId } from '@holdpoint/schema/id'
import { CHANGE_LIMITS } from '@holdpoint/server/changes/change-store'
import { createChangeThread } from '@holdpoint/server/changes/change-thread'
import { temporaryFolder } from '../gateway-process.ts'
import type { Row } from '../report.ts'
import { percentile, short, spread } from '../statistics.ts'

const FOLDERS = 1_000
const FILES_OF_EACH = 50
const CHANGED = 60
const STARTS = 5
const LOOKS = 10
const WORKER = fileURLToPath(new URL('./changes.js', import.meta.url))

const session = (number: number) => `ses_${String(number).padStart(26, '0')}` as SessionId

/** A repository of 50,000 files: what a session's start waits for, what comes beside it, the list and the diffs. */
export async function changedFiles(): Promise<readonly Row[]> {
  await using repository = await temporaryFolder()
  await using data = await temporaryFolder()
  const paths = await fill(repository.path)
  const store = createChangeThread(WORKER, {
    folder: data.path,
    leftOut: [],
    leftIn: [],
    home: '/nowhere',
    limits: CHANGE_LIMITS,
    waitMs: 1_000,
  })
  try {
    const folder = repository.path
    const starts: number[] = []
    const kept: number[] = []
    for (let start = 0; start < STARTS; start++) {
      const from = performance.now()
      const begun = store.begin(session(start), { folder, isLate: false })
      // A message waits for this.
      await store.mark(session(start))
      starts.push(performance.now() - from)
      await begun
      kept.push(performance.now() - from)
    }
    const changed = paths.filter((_, index) => index % Math.floor(paths.length / CHANGED) === 0)
    for (const path of changed) await appendFile(join(folder, path), 'const changed = true\n')
    const lists = await timesOf(Array(LOOKS).fill(undefined), () => store.list(session(0), 'start'))
    const diffs = await timesOf(changed, (path) => store.file(session(0), 'start', path))
    const found = (await store.list(session(0), 'start'))?.files.length
    if (found !== changed.length)
      throw new Error(`${found} changed files were found, and ${changed.length} were changed`)
    return [
      {
        what: `start of a session in a folder of ${paths.length.toLocaleString('en')} files, until its files were looked at (${STARTS} times; a message waits for at most 1 s of it), p50 / p95 / p99`,
        measured: spread(starts),
        // The first one reads every file.
        budget: 'each ≤ 1 s',
        met: Math.max(...starts) <= 1_000,
      },
      {
        what: 'the same, until all contents are kept, beside the agent; the first / p50',
        measured: `${short(kept[0] ?? 0)} / ${short(percentile(kept, 0.5))} ms`,
      },
      { what: `the list of ${changed.length} changed files, p50 / p95 / p99`, measured: spread(lists) },
      {
        what: `one diff (${changed.length} files), p50 / p95 / p99`,
        measured: spread(diffs),
        budget: 'p95 ≤ 200 ms',
        met: percentile(diffs, 0.95) <= 200,
      },
    ]
  } finally {
    await store.close()
  }
}

async function timesOf<Each>(all: readonly Each[], act: (each: Each) => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  for (const each of all) {
    const from = performance.now()
    await act(each)
    times.push(performance.now() - from)
  }
  return times
}

/** Files of 2 to 10 KB, as sources are. Gives their paths in the folder. */
async function fill(folder: string): Promise<readonly string[]> {
  const paths: string[] = []
  for (let number = 0; number < FOLDERS; number++) {
    const below = join(`part${number % 20}`, `module${number}`)
    await mkdir(join(folder, below), { recursive: true })
    for (let file = 0; file < FILES_OF_EACH; file++) {
      const path = join(below, `file${file}.ts`)
      await writeFile(
        join(folder, path),
        `// ${dirname(path)} ${file}\n${'const x = 1 // some line of code here\n'.repeat(50 + ((file * 7) % 200))}`,
      )
      paths.push(path)
    }
  }
  return paths
}
