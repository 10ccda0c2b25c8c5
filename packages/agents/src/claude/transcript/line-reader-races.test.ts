import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LONG, report } from '@holdpoint/testing/long'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { OpenFile } from '../../files/open-file.ts'

/** Called before the file is opened, and before every read of it: where another process can come between. */
let between: () => Promise<void>

vi.mock('../../files/open-file.ts', async (original) => {
  const actual = await original<typeof import('../../files/open-file.ts')>()
  return {
    ...actual,
    async openFile(path: string): Promise<OpenFile | undefined> {
      await between()
      const file = await actual.openFile(path)
      if (!file) return undefined
      const { handle } = file
      const read = handle.read.bind(handle) as (...options: unknown[]) => Promise<unknown>
      const slow = async (...options: unknown[]) => {
        await between()
        return read(...options)
      }
      return { ...file, handle: Object.assign(handle, { read: slow }) }
    },
  }
})

// Loaded anew, here and by whoever comes next in the same process: nobody else is to have the other one.
vi.resetModules()
const { createLineReader } = await import('./line-reader.ts')
afterAll(() => {
  vi.doUnmock('../../files/open-file.ts')
  vi.resetModules()
})

let folder: string
let path: string
beforeEach(async () => {
  between = async () => {}
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-races-'))
  path = join(folder, 'file.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

type Action = () => Promise<void>

/** Every way to put the actions, in order, before one of so many steps; every second one in `npm test`. */
function placements(actions: number, steps: number): number[][] {
  const all = [...allPlacements(actions, steps)]
  const tried = LONG || actions === 1 ? all : all.filter((_, place) => place % 2 === 0)
  report(`races: ${tried.length} of ${all.length} orders`)
  return tried
}

function* allPlacements(actions: number, steps: number, from = 0): Generator<number[]> {
  if (actions === 0) return yield []
  for (let step = from; step < steps; step++) {
    for (const rest of allPlacements(actions - 1, steps, step)) yield [step, ...rest]
  }
}

interface Story {
  readonly before: readonly string[]
  readonly chunkBytes: number
  readonly actions: readonly Action[]
  /** Where each action comes, in steps of reading. */
  readonly places: readonly number[]
}

/** Reads while the actions happen, and twice more when they are over. Says what counts in the end, and all that was told. */
async function played({ before, chunkBytes, actions, places }: Story) {
  await writeFile(path, before.join(''))
  const reader = createLineReader({ path, chunkBytes })
  const told: string[] = []
  const read = () =>
    reader.read(({ bytes }) => told.push(bytes.toString()), { onRestart: (why) => told.push(`!${why}`) })
  between = async () => {}
  await read()
  let step = 0
  let done = 0
  between = async () => {
    for (; done < actions.length && places[done] === step; done++) await actions[done]?.()
    step++
  }
  for (let last = 2; last > 0; ) {
    if (done === actions.length) last--
    await read()
  }
  const restart = told.findLastIndex((line) => line.startsWith('!'))
  return { told, counts: told.slice(restart + 1) }
}

/** Of one length, so that what follows an old end is whole lines, and as long as it takes to fill any sample. */
const lines = (...names: string[]) => names.map((name) => `line ${name} ${'.'.repeat(600)}\n`)
const texts = (list: readonly string[]) => list.map((line) => line.trimEnd())
const OLD = lines('a', 'b')
const WHOLE = 100_000

describe('a file that is written anew while it is read', () => {
  it.each([
    { how: 'longer than it was', now: lines('v', 'w', 'x', 'y', 'z'), chunkBytes: WHOLE },
    { how: 'longer, in chunks that cut lines', now: lines('w', 'x', 'y', 'z'), chunkBytes: 500 },
    { how: 'as long as it was', now: lines('x', 'y'), chunkBytes: WHOLE },
    { how: 'shorter than it was', now: lines('x'), chunkBytes: WHOLE },
    { how: 'longer, beginning as it did', now: lines('a', 'x', 'y', 'z'), chunkBytes: WHOLE },
  ])('$how: cut, then written in two pieces, wherever the reads come', async ({ now, chunkBytes }) => {
    const content = now.join('')
    const half = Math.ceil(content.length / 2) + 20
    const actions = [
      () => truncate(path, 0),
      () => appendFile(path, content.slice(0, half)),
      () => appendFile(path, content.slice(half)),
    ]
    for (const places of placements(actions.length, 8)) {
      const { told, counts } = await played({ before: OLD, chunkBytes, actions, places })
      expect(counts, `${places}`).toEqual(texts(now))
      // Before it was noticed, nothing of the new file was told as if it were the old one's.
      expect(told.slice(0, OLD.length + 1), `${places}`).toEqual([...texts(OLD), expect.stringMatching(/^!/)])
    }
  })

  it('longer than it was, with no read between: at whichever moment', async () => {
    const now = lines('w', 'x', 'y', 'z')
    const actions = [() => writeFile(path, now.join(''))]
    for (const places of placements(1, 8)) {
      const { told } = await played({ before: OLD, chunkBytes: WHOLE, actions, places })
      expect(told, `${places}`).toEqual([...texts(OLD), '!rewritten', ...texts(now)])
    }
  })
})

describe('a file that grows while it is read', () => {
  it.each([250, WHOLE])('tells every line once, wherever the reads come, in chunks of %i', async (chunkBytes) => {
    const added = lines('c', 'd', 'e').join('')
    const actions = [added.slice(0, 3), added.slice(3, 800), added.slice(800)].map(
      (piece) => () => appendFile(path, piece),
    )
    for (const places of placements(actions.length, 8)) {
      const { told } = await played({ before: OLD, chunkBytes, actions, places })
      expect(told, `${places}`).toEqual(texts([...OLD, ...lines('c', 'd', 'e')]))
    }
  })
})
