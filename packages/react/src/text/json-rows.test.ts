import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type JsonRow, jsonRows, literal, unfolded } from './json-rows.ts'

/** The value again, from its rows. */
function rebuilt(rows: readonly JsonRow[]): string {
  let text = ''
  let comma = ''
  for (const row of rows) {
    if (row.shape === 'close') {
      text += Array.isArray(row.value) ? ']' : '}'
      comma = ','
      continue
    }
    text += comma + (row.key === undefined ? '' : `${JSON.stringify(row.key)}:`)
    if (row.shape === 'open') text += Array.isArray(row.value) ? '[' : '{'
    else text += row.shape === 'empty' ? JSON.stringify(row.value) : literal(row.value)
    comma = row.shape === 'open' ? '' : ','
  }
  return text
}

it('has a row for every value and name of any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(rebuilt(jsonRows(value)))).toEqual(value)
    }),
  )
})

it('shows a name such as __proto__ like any other', () => {
  const rows = jsonRows(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'))
  expect(rows.map((row) => row.key).filter(Boolean)).toEqual(['__proto__', 'admin', 'constructor'])
})

it('walks a value nested ten thousand deep', () => {
  let value: unknown = 'end'
  for (let depth = 0; depth < 10_000; depth++) value = [value]
  const rows = jsonRows(value)
  expect(rows).toHaveLength(20_001)
  expect(rows[10_000]).toMatchObject({ shape: 'value', value: 'end', depth: 10_000 })
})

it('hides only what is inside a folded row, its closing bracket included', () => {
  const rows = jsonRows({ a: [1, 2], b: 3 })
  const array = rows.find((row) => row.key === 'a')?.id ?? -1
  expect(unfolded(rows, new Set([array])).map((row) => row.key ?? row.shape)).toEqual(['open', 'a', 'b', 'close'])
})

it('tells minus zero from zero and names what JSON cannot say', () => {
  expect([literal(-0), literal(0), literal(null), literal(undefined), literal(Number.NaN)]).toEqual([
    '-0',
    '0',
    'null',
    'undefined',
    'NaN',
  ])
})
