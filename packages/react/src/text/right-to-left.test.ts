import { expect, it } from 'vitest'
import { cutAtRuns, rightToLeftRuns } from './right-to-left.ts'

it('cuts a text of many runs between them, and loses nothing', () => {
  const text = 'a אב-'.repeat(1000)
  expect(rightToLeftRuns(text)).toBe(1000)
  const pieces = cutAtRuns({ kind: 'text', at: 5, text }).map((piece) => (piece.kind === 'text' ? piece : undefined))
  expect(pieces.map((piece) => piece?.text).join('')).toBe(text)
  expect(pieces.map((piece) => rightToLeftRuns(piece?.text ?? ''))).toEqual([200, 200, 200, 200, 200, 0])
  for (const piece of pieces) expect(text.startsWith(piece?.text ?? '?', (piece?.at ?? 0) - 5)).toBe(true)
})

it('leaves any other part whole', () => {
  const part = { kind: 'text', at: 0, text: 'abc '.repeat(1000) } as const
  expect(cutAtRuns(part)).toEqual([part])
})
