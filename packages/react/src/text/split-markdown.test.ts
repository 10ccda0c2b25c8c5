import fc from 'fast-check'
import { expect, it } from 'vitest'
import { linkTarget } from './link-target.ts'
import { markdownBlocks } from './split-markdown.ts'

it('cuts between blocks, not inside fences and lists', () => {
  const text = 'one\n\ntwo\n\n```ts\na\n\nb\n```\n\n- x\n\n  more\n\n- y\n\nend\n'
  expect(markdownBlocks(text)).toEqual([
    'one\n\n',
    'two\n\n',
    '```ts\na\n\nb\n```\n\n',
    '- x\n\n  more\n\n- y\n\n',
    'end\n',
  ])
})

it('keeps a fence that is not closed yet in one piece', () => {
  expect(markdownBlocks('a\n\n````\n```\n\nb\n\nc')).toEqual(['a\n\n', '````\n```\n\nb\n\nc'])
})

const markdown = fc
  .array(fc.constantFrom('\n', '\n\n', '```', '~~~', '- a', '1. b', '    ', 'text', '> q', ' ', '\r\n'))
  .map((all) => all.join(''))

it('gives back the text when joined, and the same cuts while the text grows', () => {
  fc.assert(
    fc.property(markdown, markdown, (text, more) => {
      const blocks = markdownBlocks(text)
      expect(blocks.join('')).toBe(text)
      expect(markdownBlocks(text + more).slice(0, blocks.length - 1)).toEqual(blocks.slice(0, -1))
    }),
  )
})

it.each([
  ['https://example.org/a', 'docs', 'example.org'],
  ['https://example.org/a', 'https://example.org/a', undefined],
  ['https://example.org', 'example.org', undefined],
  ['https://github.com@example.org', 'https://github.com@example.org', 'example.org'],
  ['https://pаypal.com/', 'paypal.com', 'xn--pypal-4ve.com'],
  ['mailto:a@b.c', 'a@b.c', undefined],
])('says where %s leads when its text %j does not', (target, text, unsaid) => {
  expect(linkTarget(target, text)?.unsaid).toBe(unsaid)
})

it.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://x/y',
  '//example.org',
  '/path',
  '#id',
  'https:',
  'https://',
  'http:javascript:x',
  'mailto:',
])('makes no link of %j', (target) => {
  expect(linkTarget(target, 'x')).toBeUndefined()
})
