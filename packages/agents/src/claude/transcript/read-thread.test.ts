import { appendFile, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readThread } from './read-thread.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-thread-'))
  path = join(folder, 'session.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const said = (text: string, uuid = text) =>
  `${JSON.stringify({ type: 'assistant', uuid, message: { content: [{ type: 'text', text }] } })}\n`
const texts = (page: Awaited<ReturnType<typeof readThread>>) =>
  page?.items.map((item) => ('text' in item ? item.text : item.type))

describe('the thread of a transcript', () => {
  it('opens with its newest page and goes back page by page', async () => {
    await writeFile(path, Array.from({ length: 25 }, (_, index) => said(`n${index}`)).join(''))
    const seen: string[] = []
    let pages = 0
    for (let before: number | undefined; ; ) {
      const page = await readThread(path, { limit: 10, ...(before !== undefined && { before }) })
      seen.unshift(...(texts(page) ?? []))
      pages++
      before = page?.before
      if (before === undefined) break
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `n${index}`))
    expect(pages).toBe(3)
  })

  it('keeps its pages while the file grows', async () => {
    await writeFile(path, said('a') + said('b'))
    const first = await readThread(path, { limit: 1 })
    await appendFile(path, said('c'))
    expect(texts(first)).toEqual(['b'])
    expect(texts(await readThread(path, { before: first?.before ?? 0 }))).toEqual(['a'])
  })

  it('has garbage left out', async () => {
    await writeFile(path, `${said('a')}not json\n${'\0'.repeat(100)}\n${said('b')}{"type":"assistant","mess`)
    expect(texts(await readThread(path))).toEqual(['a', 'b'])
  })

  it('has an entry once that was written twice', async () => {
    await writeFile(path, said('a') + said('b') + said('a'))
    expect(texts(await readThread(path))).toEqual(['b', 'a'])
  })

  it('goes on past lines over the limit', async () => {
    await writeFile(path, said('a'))
    const piece = Buffer.alloc(4 * 1024 * 1024, 'x')
    for (let count = 0; count < 20; count++) await appendFile(path, piece)
    await appendFile(path, `\n${said('b')}`)
    const seen: string[] = []
    for (let before: number | undefined; ; ) {
      const page = await readThread(path, { ...(before !== undefined && { before }) })
      seen.unshift(...(texts(page) ?? []))
      before = page?.before
      if (before === undefined) break
    }
    expect(seen).toEqual(['a', 'b'])
  })

  it('reads no more than its end of a file of a gigabyte', async () => {
    const file = await open(path, 'w')
    // A hole, which takes no room: what is in it is not read.
    await file.write(said('newest'), 2 ** 30)
    await file.close()
    const page = await readThread(path, { limit: 1 })
    expect(texts(page)).toEqual([])
    await appendFile(path, said('after'))
    expect(texts(await readThread(path, { limit: 1 }))).toEqual(['after'])
  })

  it('is none of a missing file, nor of a link', async () => {
    expect(await readThread(path)).toBeUndefined()
    await writeFile(join(folder, 'secret'), said('secret'))
    await symlink(join(folder, 'secret'), path)
    expect(await readThread(path)).toBeUndefined()
  })
})
