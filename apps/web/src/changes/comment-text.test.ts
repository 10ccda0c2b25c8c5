import { expect, it } from 'vitest'
import { messageOf } from './comment-text.ts'

it('names file and line, quotes the line, and puts the comments in the order of the files', () => {
  const text = messageOf([
    { id: '2', path: 'b.ts', kind: 'removed', text: 'gone', oldNumber: 9, comment: 'Why?' },
    { id: '1', path: 'a.ts', kind: 'added', text: 'const a = 1', newNumber: 12, comment: 'Rename this.\nPlease.' },
    { id: '3', path: 'a.ts', kind: 'same', text: 'x'.repeat(400), oldNumber: 1, newNumber: 2, comment: 'Long.' },
  ])
  expect(text).toBe(
    `Comments on the changed files:\n\na.ts:2\n> ${'x'.repeat(300)}…\nLong.\n\na.ts:12\n> const a = 1\nRename this.\nPlease.\n\nb.ts:9 (a line that was removed)\n> gone\nWhy?`,
  )
})

it('keeps a path with a line feed on one line', () => {
  const comment = { id: '1', path: 'a\n/config', kind: 'added', text: '', newNumber: 1, comment: 'x' } as const
  expect(messageOf([comment])).not.toContain('\n/config')
})
