import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedWords } from './changed-words.ts'
import { diffOf } from './diff-of.ts'
import { pairLines, parseUnifiedDiff, type UnifiedDiff } from './unified-diff.ts'

const content = fc
  .array(
    fc.constantFrom(
      'a\n',
      'b\n',
      'c\r\n',
      '--- x\n',
      '+++ y\n',
      '@@ -1,1 +1,1 @@\n',
      '\\ No newline at end of file\n',
      '\u2028',
      'd',
    ),
  )
  .map((all) => all.join(''))

function parse(diff: string): UnifiedDiff {
  const parsed = parseUnifiedDiff(diff)
  if (!parsed) throw new Error(`does not parse: ${JSON.stringify(diff)}`)
  return parsed
}

/** The diff again, from what was parsed. */
function written(parsed: UnifiedDiff): string {
  const sign = { same: ' ', removed: '-', added: '+' }
  const lines = parsed.hunks.flatMap((hunk) => [
    hunk.header,
    ...hunk.lines.flatMap((line) => [
      sign[line.kind] + line.text,
      ...(line.noNewline ? ['\\ No newline at end of file'] : []),
    ]),
  ])
  return [`--- ${parsed.oldPath}`, `+++ ${parsed.newPath}`, ...lines, ''].join('\n')
}

describe('parseUnifiedDiff', () => {
  it('drops nothing of any diff that our server makes', () => {
    fc.assert(
      fc.property(content, content, (before, after) => {
        const diff = createTwoFilesPatch('old', 'new', before, after, undefined, undefined, { context: 3 }).replace(
          /^=+\n/,
          '',
        )
        expect(written(parse(diff))).toBe(diff)
      }),
      { numRuns: 1000 },
    )
  })

  it('numbers lines on both sides and counts what changed', () => {
    const { hunks, added, removed } = parse('--- a\n+++ a\n@@ -14,3 +14,4 @@\n x\n-y\n+z\n+w\n v\n')
    expect({ added, removed }).toEqual({ added: 2, removed: 1 })
    expect(hunks[0]?.lines.map((line) => [line.oldNumber, line.newNumber])).toEqual([
      [14, 14],
      [15, undefined],
      [undefined, 15],
      [undefined, 16],
      [16, 17],
    ])
  })

  it.each([
    ['text that is no diff', 'hello\n'],
    ['nothing', ''],
    ['a hunk with a line too few', '@@ -1,2 +1,2 @@\n a\n'],
    ['a hunk with a line too many', '@@ -1,1 +1,1 @@\n a\n b\n'],
    ['a second file', '--- a\n+++ a\n@@ -1,1 +1,1 @@\n a\n--- b\n+++ b\n@@ -1,1 +1,1 @@\n a\n'],
    ['a line that carries no sign', '@@ -1,1 +1,1 @@\nhidden\n'],
    ['one name alone', '--- a\n@@ -1,1 +1,1 @@\n a\n'],
  ])('refuses %s, so that it is shown as text', (_, diff) => {
    expect(parseUnifiedDiff(diff)).toBeUndefined()
  })
})

it('puts every line on its side, once', () => {
  fc.assert(
    fc.property(content, content, (before, after) => {
      const diff = createTwoFilesPatch('old', 'new', before, after, undefined, undefined, { context: 3 }).replace(
        /^=+\n/,
        '',
      )
      for (const { lines } of parse(diff).hunks) {
        const rows = pairLines(lines)
        expect(rows.flatMap((row) => row.old ?? [])).toEqual(lines.filter((line) => line.kind !== 'added'))
        expect(rows.flatMap((row) => row.new ?? [])).toEqual(lines.filter((line) => line.kind !== 'removed'))
      }
    }),
  )
})

it('finds the words that changed in a line', async () => {
  const parsed = parse('--- a\n+++ a\n@@ -1,1 +1,1 @@\n-const delay = 1000\n+const delay = 2000\n')
  const words = await changedWords(parsed)
  const [before, after] = parsed.hunks[0]?.lines ?? []
  expect(before && words.get(before)).toEqual([{ start: 14, end: 18 }])
  expect(after && words.get(after)).toEqual([{ start: 14, end: 18 }])
})

it('makes a diff of an edit that parses', async () => {
  const parsed = parse((await diffOf('a\nb\n', 'a\nc\n', 'the command')) ?? '')
  expect(parsed).toMatchObject({ newPath: 'the command', added: 1, removed: 1 })
  expect(parse((await diffOf('a', 'a', 'x')) ?? '').hunks).toEqual([])
})
