import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { editedInput, sameBut, textFields, textWords } from './edited-input.ts'

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

  const ask = (name: string, input: Record<string, unknown>, { command = '', diff = '' } = {}) =>
    sampleAsk({
      tool: { name, input },
      display: callDisplay({ name, input, ...(diff !== '' && { diff }) }),
      context: { ...(command !== '' && { command }), ...(diff !== '' && { diff, filePath: '/a' }) },
    })

  it('I6 finds the field of the command by its name, not by its text', () => {
    expect(textFields(ask('Bash', { description: 'ls', command: 'ls' }, { command: 'ls' }))).toEqual(['command'])
    expect(textFields(ask('Bash', { command: 'ls' }, { command: 'other' }))).toEqual([])
    expect(textFields(ask('Bash', { command: 'ls' }))).toEqual([])
    // No driver says which field runs.
    expect(textFields(ask('Shell', { command: 'ls' }, { command: 'ls' }))).toEqual([])
  })

  it('edits what a diff shows, and other long texts, as texts; no path', () => {
    const diff = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n'
    const path = `/${'a'.repeat(100)}`
    expect(textFields(ask('Write', { file_path: path, content: 'y' }, { diff }))).toEqual(['content'])
    expect(textFields(ask('Write', { file_path: path, content: 'x\ny' }))).toEqual(['content'])
    expect(textFields(ask('Edit', { file_path: path, old_string: 'x', new_string: 'y' }, { diff }))).toEqual([
      'old_string',
      'new_string',
    ])
    expect(textFields(ask('Task', { subject: 'short', prompt: 'two\nlines', list: ['a\nb'] }))).toEqual(['prompt'])
  })

  it('says in words what the one text is, where its name would say less', () => {
    const diff = '--- a\n+++ a\n@@ -1,1 +1,1 @@\n-x\n+y\n'
    const path = '/a'
    expect(textWords(ask('Bash', { command: 'ls' }, { command: 'ls' }))).toBe('the command')
    expect(textWords(ask('Write', { file_path: path, content: 'y' }, { diff }))).toBe('the file')
    expect(textWords(ask('Edit', { file_path: path, old_string: 'x', new_string: 'y' }, { diff }))).toBeUndefined()
    const cell = { notebook_path: path, cell_id: '1', new_source: 'y' }
    expect(textWords(ask('NotebookEdit', cell, { diff }))).toBeUndefined()
    expect(textWords(ask('Task', { prompt: 'two\nlines' }))).toBeUndefined()
  })

  it('I6 knows whether anything but the texts was changed', () => {
    expect(sameBut(['a'], { a: '1', b: 2 }, { a: '2', b: 2 })).toBe(true)
    expect(sameBut(['a'], { a: '1', b: 2 }, { a: '1', b: 3 })).toBe(false)
    expect(sameBut(['a'], { a: '1', b: 2 }, { a: '1', b: 2, c: 1 })).toBe(false)
  })
})
