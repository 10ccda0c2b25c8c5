import { describe, expect, it } from 'vitest'
import { completingAt, fittingCommands, insert, mentionOf } from './completion.ts'

/** The bar is the cursor. */
const at = (marked: string) => completingAt(marked.replace('|', ''), marked.indexOf('|'))

describe('what is completed at the cursor', () => {
  it.each([
    ['/re|', { kind: 'command', typed: 're', from: 0, to: 3 }],
    ['/re|view this', { kind: 'command', typed: 're', from: 0, to: 7 }],
    ['/|', { kind: 'command', typed: '', from: 0, to: 1 }],
    ['see @src/a|', { kind: 'file', typed: 'src/a', from: 4, to: 10 }],
    ['@|', { kind: 'file', typed: '', from: 0, to: 1 }],
    ['see @"my fi|', { kind: 'file', typed: 'my fi', from: 4, to: 11 }],
    ['see @"my fi|le" too', { kind: 'file', typed: 'my fi', from: 4, to: 14 }],
  ])('%s', (marked, expected) => {
    expect(at(marked)).toEqual(expected)
  })

  it.each([' /re|', 'a /re|', '/re view|', '/etc/ho|', 'me@home|', 'text|', '|@a', '@a b|', '@"a" b|', 'line\n/x|'])(
    'is nothing in %j',
    (marked) => {
      expect(at(marked)).toBeUndefined()
    },
  )
})

it('names a file in a message so that it is taken for that file', () => {
  expect(['src/app.ts', 'a b.txt', 'my dir/', 'src/', 'agent-x', 'a.', 'ünï.md', 'a:b'].map(mentionOf)).toEqual([
    '@src/app.ts',
    '@"a b.txt"',
    '@"my dir/',
    '@src/',
    '@"agent-x"',
    '@"a."',
    '@"ünï.md"',
    '@"a:b"',
  ])
})

it('[T73] names none that would hide something in the message, or be taken for another', () => {
  const names = ['a\u202Etxt.exe', 'a\u200Bb', 'a\nb', 'a"b', 'a#L1', 'x (agent)', 'a\u2028b', '\u{E0041}']
  expect(names.map(mentionOf)).toEqual(names.map(() => undefined))
})

it('puts what was chosen in the place of what was typed', () => {
  const chosen = (marked: string, name: string) => {
    const text = marked.replace('|', '')
    const completing = completingAt(text, marked.indexOf('|'))
    if (!completing) throw new Error('nothing to complete')
    const { text: written, cursor } = insert(text, completing, name)
    return `${written.slice(0, cursor)}|${written.slice(cursor)}`
  }
  expect(chosen('/re|', '/review')).toBe('/review |')
  expect(chosen('see @sr|', '@src/')).toBe('see @src/|')
  expect(chosen('see @sr| now', '@src/app.ts')).toBe('see @src/app.ts | now'.replace(' | ', ' |'))
  expect(chosen('@"my fi|le" x', '@"my file.txt"')).toBe('@"my file.txt" |x')
})

it('offers first the commands whose names begin with what was typed', () => {
  const commands = ['config', 'review', 'pr-review', 'Rename'].map((name) => ({ name }))
  expect(fittingCommands(commands, 're').map(({ name }) => name)).toEqual(['review', 'Rename', 'pr-review'])
  expect(fittingCommands(commands, '')).toEqual(commands)
  expect(fittingCommands([{ name: 'cost-all' }, { name: 'cost' }], 'cost')[0]).toEqual({ name: 'cost' })
})
