import { AskKind } from '@holdpoint/schema/ask'
import { expect, it } from 'vitest'
import { CASES } from './cases.ts'

it('shows every kind of ask', () => {
  expect(new Set(CASES.map(({ ask }) => ask.kind))).toEqual(new Set(AskKind.options))
})
