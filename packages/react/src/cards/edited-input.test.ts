import { describe, expect, it } from 'vitest'
import { commandField, editedInput } from './edited-input.ts'

const original = { file_path: '/a', limit: 3, tags: ['x'], deep: null }

describe('an edited input', () => {
  it('is the whole input with the change', () => {
    const text = JSON.stringify({ ...original, limit: 4 })
    expect(editedInput(original, text)).toEqual({ ok: true, input: { ...original, limit: 4 } })
  })

  it.each([
    ['{', /not JSON/],
    ['[]', /must stay an object/],
    ['{"file_path":"/a"}', /limit is missing/],
    ['{"file_path":"/a","limit":"4","tags":[],"deep":null}', /limit must stay a number/],
    ['{"file_path":"/a","limit":4,"tags":{},"deep":null}', /tags must stay a list/],
  ])('keeps its shape: %s', (text, issue) => {
    expect(editedInput(original, text)).toEqual({ ok: false, issue: expect.stringMatching(issue) })
  })

  it('finds the field that holds the command', () => {
    expect(commandField({ timeout: 1, command: 'ls' }, 'ls')).toBe('command')
    expect(commandField({ command: 'ls' }, 'other')).toBeUndefined()
    expect(commandField({ command: 'ls' }, undefined)).toBeUndefined()
  })
})
