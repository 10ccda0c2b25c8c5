import { TerminalSize } from '@holdpoint/schema/terminal-stream'
import { expect, it } from 'vitest'
import { SIZE_LIMITS } from './helper-protocol.ts'

it('takes every size that the API lets a client ask for, and no other', () => {
  const { cols, rows } = TerminalSize
  expect({ minCols: cols.minValue, maxCols: cols.maxValue, minRows: rows.minValue, maxRows: rows.maxValue }).toEqual(
    SIZE_LIMITS,
  )
})
