import { expect, it } from 'vitest'
import { holdMs } from './hold-limit.ts'

const hold = (limitMs: number | undefined, hearsProgress: boolean, environment = {}) =>
  holdMs({ limitMs, hearsProgress, environment })

it('holds a call as long as Claude Code waits, and says no a little before', () => {
  expect(hold(undefined, true)).toBe(99_995_000)
  expect(hold(undefined, true, { MCP_TOOL_TIMEOUT: '60000' })).toBe(55_000)
})

it('holds it for less than half an hour where the client hears nothing meanwhile', () => {
  expect(hold(undefined, false)).toBe(1_795_000)
  expect(hold(undefined, false, { CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT: '120000' })).toBe(115_000)
})

it('holds it no longer than it is told, and never longer than the client waits', () => {
  expect(hold(60_000, true)).toBe(60_000)
  expect(hold(60_000, true, { MCP_TOOL_TIMEOUT: '30000' })).toBe(25_000)
  expect(hold(undefined, true, { MCP_TOOL_TIMEOUT: 'nonsense' })).toBe(99_995_000)
  expect(hold(undefined, true, { MCP_TOOL_TIMEOUT: '10' })).toBe(1000)
})
