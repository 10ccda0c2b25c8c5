import { describe, expect, it } from 'vitest'
import { diffOf } from './diff-of.ts'
import { parseUnifiedDiff } from './unified-diff.ts'

async function changes(before: string, after: string) {
  const parsed = parseUnifiedDiff((await diffOf(before, after, 'your edit')) ?? '')
  return parsed?.hunks.flatMap((hunk) => hunk.lines.map((line) => [line.kind, line.text, line.noNewline ?? false]))
}

describe('the diff of an edit', () => {
  it('does not remark on a missing last line feed that was missing before', async () => {
    expect(await changes('rm -rf a', 'rm -rf b')).toEqual([
      ['removed', 'rm -rf a', false],
      ['added', 'rm -rf b', false],
    ])
  })

  it('T63 takes nothing of a file name for a line of the file', async () => {
    const name = 'a\n+++ a\n@@ -1,1 +1,4 @@\n-old\n+harmless'
    const parsed = parseUnifiedDiff((await diffOf('x\n', 'rm -rf /\n', name)) ?? '')
    const lines = parsed?.hunks.flatMap((hunk) => hunk.lines.map(({ kind, text }) => [kind, text]))
    expect(lines).toEqual([
      ['removed', 'x'],
      ['added', 'rm -rf /'],
    ])
  })

  it('shows a last line feed that came or went', async () => {
    expect(await changes('a\n', 'a')).toEqual([
      ['removed', 'a', false],
      ['added', 'a', true],
    ])
  })

  it('keeps lines of the text that read like a remark of the format', async () => {
    const line = '\\ No newline at end of file'
    expect(await changes(`${line}\na`, `${line}\nb`)).toEqual([
      ['same', line, false],
      ['removed', 'a', false],
      ['added', 'b', false],
    ])
  })
})
