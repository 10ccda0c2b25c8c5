import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { commandField, editedInput } from './edited-input.ts'

const original = { file_path: '/a', limit: 3, tags: ['x'], deep: null }

describe('an edited input', () => {
  it('is the whole input with the change', () => {
    const text = JSON.stringify({ ...original, limit: 4 })
    expect(editedInput(original, text)).toEqual({ ok: true, input: { ...original, limit: 4 } })
  })

  it.each([
    ['{', /not valid JSON/],
    ['[]', /must stay an object/],
    ['{"file_path":"/a"}', /limit is missing/],
    ['{"file_path":"/a","limit":"4","tags":[],"deep":null}', /limit must stay a number/],
    ['{"file_path":"/a","limit":4,"tags":{},"deep":null}', /tags must stay a list/],
  ])('keeps its shape: %s', (text, issue) => {
    expect(editedInput(original, text)).toEqual({ ok: false, issue: expect.stringMatching(issue) })
  })

  it('I6 finds the field of the command by its name, not by its text', () => {
    const ask = (input: Record<string, unknown>, command?: string, name = 'Bash') =>
      sampleAsk({
        tool: { name, input },
        display: callDisplay({ name, input }),
        context: { ...(command !== undefined && { command }) },
      })
    expect(commandField(ask({ description: 'ls', command: 'ls' }, 'ls'))).toBe('command')
    expect(commandField(ask({ command: 'ls' }, 'other'))).toBeUndefined()
    expect(commandField(ask({ command: 'ls' }))).toBeUndefined()
    // No driver says which field runs.
    expect(commandField(ask({ command: 'ls' }, 'ls', 'Shell'))).toBeUndefined()
  })
})
