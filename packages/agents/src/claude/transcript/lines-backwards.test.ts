import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BackwardsOptions, linesBackwards } from './lines-backwards.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-backwards-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function backwards(text: string, options: Partial<BackwardsOptions> = {}) {
  const path = join(folder, 'file')
  await writeFile(path, text)
  const handle = await open(path)
  try {
    const seen: [string, number][] = []
    const lines = linesBackwards(handle, { before: Buffer.byteLength(text), maxBytes: 1e9, ...options })
    for (;;) {
      const next = await lines.next()
      if (next.done) return { seen, end: next.value }
      seen.push([next.value.bytes.toString(), next.value.offset])
    }
  } finally {
    await handle.close()
  }
}

describe('the lines of a file, the last one first', () => {
  it('come with their places, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'é', '😀', ' ') }), { maxLength: 12 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 20 }),
        async (lines, isEnded, chunkBytes) => {
          const text = lines.join('\n') + (isEnded ? '\n' : '')
          let offset = 0
          const expected = lines.map((line): [string, number] => {
            const place: [string, number] = [line, offset]
            offset += Buffer.byteLength(line) + 1
            return place
          })
          const { seen, end } = await backwards(text, { chunkBytes })
          expect(seen).toEqual(expected.filter(([line]) => line !== '').reverse())
          expect(end).toBe(0)
        },
      ),
      { numRuns: 150 },
    )
  })

  it('are without those over the limit', async () => {
    const { seen } = await backwards(`one\n${'x'.repeat(50)}\ntwo\n`, { chunkBytes: 8, maxLineBytes: 20 })
    expect(seen.map(([line]) => line)).toEqual(['two', 'one'])
  })

  it('end when enough bytes were looked at, with the place to go on from: no line is lost or comes twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 9, unit: fc.constantFrom('a', 'b') }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 20 }),
        async (lines, chunkBytes) => {
          const text = lines.map((line) => `${line}\n`).join('')
          const pages: string[] = []
          for (let before = text.length; before > 0; ) {
            const { seen, end } = await backwards(text, { chunkBytes, before, maxBytes: 12, maxLineBytes: 10 })
            expect(end).toBeLessThan(before)
            pages.push(...seen.map(([line]) => line))
            before = end
          }
          expect(pages).toEqual([...lines].reverse())
        },
      ),
      { numRuns: 150 },
    )
  })

  it('are found on both sides of a line that is longer than a page', async () => {
    const text = `one\n${'x'.repeat(100)}\ntwo\n`
    const pages: string[] = []
    for (let before = text.length; before > 0; ) {
      const { seen, end } = await backwards(text, { chunkBytes: 8, before, maxBytes: 16, maxLineBytes: 10 })
      pages.push(...seen.map(([line]) => line).filter((line) => !line.startsWith('x')))
      before = end
    }
    expect(pages).toEqual(['two', 'one'])
  })
})
