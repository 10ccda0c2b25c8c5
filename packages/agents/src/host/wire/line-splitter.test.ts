import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

function split(chunks: readonly Buffer[], maxBytes = 1024): { lines: string[]; splitter: LineSplitter } {
  const splitter = new LineSplitter({ maxBytes })
  const lines = chunks.flatMap((chunk) => splitter.push(chunk)).map(String)
  const rest = splitter.rest()
  return { lines: rest ? [...lines, String(rest)] : lines, splitter }
}

describe('LineSplitter', () => {
  it('gives the same lines wherever the chunks are cut, inside a character too (F37)', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', '€'))
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
        const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
        const chunks = borders.map((border, index) => bytes.subarray(borders[index - 1] ?? 0, border))
        expect(split(chunks, 1 << 20).lines).toEqual(lines.map((text) => Buffer.from(text).toString()))
      }),
    )
  })

  it('counts what follows the last newline as a line, and nothing as none', () => {
    expect(split([Buffer.from('a\n\nb')]).lines).toEqual(['a', '', 'b'])
    expect(split([Buffer.from('a\n')]).lines).toEqual(['a'])
  })

  it('keeps a carriage return: the agent wrote it', () => {
    expect(split([Buffer.from('a\r\nb')]).lines).toEqual(['a\r', 'b'])
  })

  it('takes a line of exactly the limit and discards everything after a longer one', () => {
    expect(split([Buffer.from('12345678\nx\n')], 8)).toMatchObject({
      lines: ['12345678', 'x'],
      splitter: { tooLong: false },
    })
    const { lines, splitter } = split(['ok\n1234', '5678', '9', '\nlater\n'].map(Buffer.from), 8)
    expect(lines).toEqual(['ok'])
    expect(splitter.tooLong).toBe(true)
  })
})
