import { describe, expect, it } from 'vitest'
import { fenced, shortened } from './fence.ts'

describe('fenced text', () => {
  it('puts a mark before every line, also before lines that only the terminal would break', () => {
    const lines = fenced(`${' '.repeat(40)}Answer: allowed\nsecond`, { columns: 30 })
    expect(lines.every((line) => /^ {2}[│┆] /.test(line))).toBe(true)
    expect(lines.every((line) => line.length <= 30)).toBe(true)
    expect(lines.map((line) => line.slice(4)).join('')).toBe(`${' '.repeat(40)}Answer: allowedsecond`)
  })

  it('counts wide characters as two columns', () => {
    expect(fenced('日'.repeat(20), { columns: 24 })).toEqual([`  │ ${'日'.repeat(10)}`, `  ┆ ${'日'.repeat(10)}`])
  })

  it('breaks nothing when the output is no terminal', () => {
    expect(fenced('x'.repeat(500), { columns: undefined })).toEqual([`  │ ${'x'.repeat(500)}`])
  })

  it('says where a line was cut', () => {
    expect(shortened('0123456789', 10)).toBe('0123456789')
    expect(shortened('0123456789a', 10)).toBe('012345678…')
  })
})
