import fc from 'fast-check'
import type { EditCase } from './edit-cases.ts'

/** What the rules for edits look at. */
const PIECES = [
  ...['a', 'a', 'b', ' ', '\t', '\n', '\n', '\r\n', '\r', '\\', '$&', '\ufeff'],
  ...['é', '\\u00e9', '\\u00E9', 'ü', '\\u00fc', '😀', '\\ud83d\\ude00', '“', '”', '"', '’', "'"],
]
const text = (min: number, max: number) =>
  fc.array(fc.constantFrom(...PIECES), { minLength: min, maxLength: max }).map((pieces) => pieces.join(''))

/** Ways to write a part of the file otherwise. */
const WAYS: readonly ((part: string) => string)[] = [
  (part) => part,
  (part) => part.replace(/\\u([0-9a-fA-F]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  (part) => part.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (part) => part.replace(/[“”]/g, '"').replaceAll('’', "'"),
]

/** The agent reads a call's escapes once before anybody is asked: this is what it comes to. */
const sent = (given: string) => given.replaceAll('\\', '\\u005c')

const edit = fc
  .record({
    before: text(3, 15),
    at: fc.nat(14),
    length: fc.integer({ min: 1, max: 5 }),
    way: fc.constantFrom(...WAYS),
    put: text(0, 5),
    everywhere: fc.boolean(),
  })
  .map(({ before, at, length, way, put, everywhere }) => {
    const lines = before.replaceAll('\r\n', '\n')
    const from = at % lines.length
    const input = { old_string: sent(way(lines.slice(from, from + length))), new_string: sent(put) }
    return { before, input: { ...input, replace_all: everywhere } }
  })

/** Edits that have no expectation but one: what ran is what was shown. */
export function randomEdits(count: number, seed: number): readonly EditCase[] {
  return fc
    .sample(edit, { numRuns: count, seed })
    .map((given, index) => ({ name: `at random ${index}`, tool: 'Edit' as const, ...given }))
}
