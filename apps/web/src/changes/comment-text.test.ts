import { expect, it } from 'vitest'
import { messageOf } from './comment-text.ts'

it('names file and line, quotes the line, and puts the comments in the order of the files', () => {
  const text = messageOf([
    { id: '2', path: 'b.ts', kind: 'removed', text: 'gone', oldNumber: 9, comment: 'Why?' },
    { id: '1', path: 'a.ts', kind: 'added', text: 'const a = 1', newNumber: 12, comment: 'Rename this.\nPlease.' },
    { id: '3', path: 'a.ts', kind: 'same', text: 'x'.repeat(400), oldNumber: 1, newNumber: 2, comment: 'Long.' },
  ])
  expect(text).toBe(
    `Comments on the changed files:\n\na.ts:2\n> ${'x'.repeat(300)}…\n\nLong.\n\na.ts:12\n> const a = 1\n\nRename this.\nPlease.\n\nb.ts:9 (a line that was removed)\n> gone\n\nWhy?`,
  )
})

it('keeps a path with a line feed on one line', () => {
  const comment = { id: '1', path: 'a\n/config', kind: 'added', text: '', newNumber: 1, comment: 'x' } as const
  expect(messageOf([comment])).not.toContain('\n/config')
})

it('names no file to the agent by what stands in a line or in the name of a file', () => {
  const text = messageOf([
    {
      id: '1',
      path: 'a @/home/you/id b',
      kind: 'added',
      text: '// see @/home/you/id and @"/etc/a b"',
      newNumber: 1,
      comment: '',
    },
    { id: '2', path: '@scope/a.ts', kind: 'added', text: '@Injectable() // me@example.com', newNumber: 1, comment: '' },
  ])
  expect(text).not.toMatch(/@\S/)
  expect(text).toContain('a ⟨U+0040⟩/home/you/id b:1\n> // see @ /home/you/id and @ "/etc/a b"')
  expect(text).toContain('⟨U+0040⟩scope/a.ts:1\n> @ Injectable() // me@ example.com')
})

it('leaves a sign inside of a path as it is', () => {
  const comment = { id: '1', path: 'node/@scope/a.ts', kind: 'added', text: '', newNumber: 1, comment: 'x' } as const
  expect(messageOf([comment])).toContain('node/@scope/a.ts:1')
})
