import { appendFile, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLineReader, type LineReader } from './line-reader.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-lines-'))
  path = join(folder, 'file.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function lines(reader: LineReader) {
  const seen: string[] = []
  const report = await reader.read(({ bytes }) => seen.push(bytes.toString()))
  return { seen, ...report }
}

describe('reading a file that grows', () => {
  it('hands over each line once, when it is whole', async () => {
    const reader = createLineReader({ path })
    await writeFile(path, 'one\ntw')
    expect((await lines(reader)).seen).toEqual(['one'])
    expect((await lines(reader)).seen).toEqual([])
    await appendFile(path, 'o\nthree\n\nfour')
    expect((await lines(reader)).seen).toEqual(['two', 'three'])
    await appendFile(path, '\n')
    expect((await lines(reader)).seen).toEqual(['four'])
  })

  it('says where each line begins', async () => {
    await writeFile(path, 'one\r\ntwo\n')
    const seen: [string, number][] = []
    await createLineReader({ path }).read(({ bytes, offset }) => seen.push([bytes.toString(), offset]))
    expect(seen).toEqual([
      ['one', 0],
      ['two', 5],
    ])
  })

  it('keeps a character whole that a chunk’s border cuts in two', async () => {
    await writeFile(path, 'äöü€\n😀\n')
    expect((await lines(createLineReader({ path, chunkBytes: 3 }))).seen).toEqual(['äöü€', '😀'])
  })

  it.each([1, 2, 3, 7, 64, 1000])('gives the same lines in chunks of %i', async (chunkBytes) => {
    const all = Array.from({ length: 60 }, (_, index) => `${index}`.repeat(index % 13))
    await writeFile(path, `${all.join('\n')}\n`)
    const { seen } = await lines(createLineReader({ path, chunkBytes }))
    expect(seen).toEqual(all.filter((line) => line !== ''))
  })

  it('waits after every chunk, so that nothing piles up', async () => {
    await writeFile(path, 'one\ntwo\nthree\n')
    const order: string[] = []
    await createLineReader({ path, chunkBytes: 4 }).read(({ bytes }) => order.push(bytes.toString()), {
      onChunk: async () => {
        await Promise.resolve()
        order.push('|')
      },
    })
    expect(order.join(' ')).toBe('one | two | | three |')
  })

  it('stops between chunks when it is told to', async () => {
    await writeFile(path, 'one\ntwo\nthree\n')
    const stop = new AbortController()
    const reader = createLineReader({ path, chunkBytes: 4 })
    const seen: string[] = []
    await reader.read(({ bytes }) => seen.push(bytes.toString()), { signal: stop.signal, onChunk: () => stop.abort() })
    expect(seen).toEqual(['one'])
    expect((await lines(reader)).seen).toEqual(['two', 'three'])
  })
})

describe('a line over the limit', () => {
  it('is left out, and what follows is read', async () => {
    await writeFile(path, `one\n${'x'.repeat(101)}\n${'y'.repeat(100)}\n`)
    const reader = createLineReader({ path, maxLineBytes: 100, chunkBytes: 16 })
    expect(await lines(reader)).toMatchObject({ seen: ['one', 'y'.repeat(100)], skipped: 1 })
  })

  it('is not kept in memory: a hundred megabytes of it', async () => {
    await writeFile(path, '')
    const reader = createLineReader({ path })
    const piece = Buffer.alloc(4 * 1024 * 1024, 'x')
    global.gc?.()
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    for (let count = 0; count < 25; count++) {
      await appendFile(path, piece)
      await reader.read(() => {})
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    await appendFile(path, '\nafter\n')
    expect(await lines(reader)).toMatchObject({ seen: ['after'], skipped: 1 })
    // One chunk for each read, of which some may not have been collected yet.
    expect(most).toBeLessThan(40 * 1024 * 1024)
  })
})

describe('beginning in the middle', () => {
  it('hands over nothing old', async () => {
    await writeFile(path, 'old\n')
    const reader = createLineReader({ path, from: 4 })
    expect((await lines(reader)).seen).toEqual([])
    await appendFile(path, 'new\n')
    expect((await lines(reader)).seen).toEqual(['new'])
  })

  it('hands over whole the line that was being written', async () => {
    await writeFile(path, 'old\nhalf')
    const reader = createLineReader({ path, from: 8, chunkBytes: 3 })
    await appendFile(path, 'way\nnew\n')
    expect((await lines(reader)).seen).toEqual(['halfway', 'new'])
  })

  it('looks back no further than a line may be long', async () => {
    await writeFile(path, 'x'.repeat(200))
    const reader = createLineReader({ path, from: 200, maxLineBytes: 100, chunkBytes: 16 })
    await appendFile(path, 'x\nnew\n')
    expect(await lines(reader)).toMatchObject({ seen: ['new'], skipped: 1 })
  })
})

describe('a file that is not the one it was', () => {
  it('cut: starts over', async () => {
    await writeFile(path, 'one\ntwo\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await truncate(path, 4)
    expect(await lines(reader)).toMatchObject({ seen: ['one'], restart: 'truncated' })
  })

  it('cut to nothing: starts over with what comes', async () => {
    await writeFile(path, 'one\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await truncate(path, 0)
    expect(await lines(reader)).toMatchObject({ seen: [], restart: 'truncated' })
    await appendFile(path, 'new\n')
    const after = await lines(reader)
    expect(after.seen).toEqual(['new'])
    expect(after.restart).toBeUndefined()
  })

  it('another in its place: starts over', async () => {
    await writeFile(path, 'one\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await writeFile(join(folder, 'other'), 'first\nsecond\n')
    await rename(join(folder, 'other'), path)
    expect(await lines(reader)).toMatchObject({ seen: ['first', 'second'], restart: 'replaced' })
  })

  it('written anew and longer, under the same inode: starts over', async () => {
    await writeFile(path, 'one\ntwo\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await writeFile(path, 'first\nsecond\nthird\n')
    expect(await lines(reader)).toMatchObject({ seen: ['first', 'second', 'third'], restart: 'rewritten' })
  })

  it('written anew with the same beginning: goes on', async () => {
    await writeFile(path, 'one\ntwo\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await writeFile(path, 'one\ntwo\nthree\n')
    const after = await lines(reader)
    expect(after.seen).toEqual(['three'])
    expect(after.restart).toBeUndefined()
  })

  it('removed, then made again: says so, and starts over', async () => {
    await writeFile(path, 'one\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await rm(path)
    expect(await lines(reader)).toMatchObject({ seen: [], isGone: true })
    await writeFile(path, 'new\n')
    expect(await lines(reader)).toMatchObject({ seen: ['new'], isGone: false, restart: 'replaced' })
  })

  it('tells of the start over before the first line of it', async () => {
    await writeFile(path, 'one\ntwo\n')
    const reader = createLineReader({ path })
    await lines(reader)
    await writeFile(path, 'new\n')
    const order: string[] = []
    await reader.read(({ bytes }) => order.push(bytes.toString()), { onRestart: (why) => order.push(why) })
    expect(order).toEqual(['truncated', 'new'])
  })
})

describe('what is no ordinary file', () => {
  it('a link is not followed', async () => {
    await writeFile(join(folder, 'secret'), 'secret\n')
    await symlink(join(folder, 'secret'), path)
    expect(await lines(createLineReader({ path }))).toMatchObject({ seen: [], isGone: true })
  })

  it('a folder and a missing file have no lines', async () => {
    expect(await lines(createLineReader({ path: folder }))).toMatchObject({ seen: [], isGone: true })
    expect(await lines(createLineReader({ path }))).toMatchObject({ seen: [], isGone: true })
  })

  it.skipIf(process.platform === 'win32')('a pipe keeps nobody waiting', async () => {
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', [path])
    expect(await lines(createLineReader({ path }))).toMatchObject({ seen: [], isGone: true })
  })
})
