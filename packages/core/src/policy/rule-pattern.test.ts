import { seededRandom } from '@holdpoint/testing/seeded-random'
import { describe, expect, it } from 'vitest'
import { fitsPath, parsePathPattern } from './path-pattern.ts'
import { parseRulePattern } from './rule-pattern.ts'

function wordsOf(pattern: string): unknown {
  const parsed = parseRulePattern(pattern, 'allow')
  return 'pattern' in parsed && parsed.pattern.about === 'command'
    ? parsed.pattern.words?.map((word) => ('any' in word ? '…' : word.text))
    : parsed
}

describe('the text of a rule', () => {
  it.each([
    ['Bash(git status)', ['git', 'status']],
    ['Bash(npm run test *)', ['npm', 'run', 'test', '…']],
    ['Bash(npm run test:*)', ['npm', 'run', 'test', '…']],
    ['Bash(git * --stat)', ['git', '…', '--stat']],
    ['Bash(echo \'a b\' "c")', ['echo', 'a b', 'c']],
    ['Bash(echo \\*)', ['echo', '*']],
    ["Bash(echo '*')", ['echo', '*']],
    ["Bash(echo '(')", ['echo', '(']],
  ])('%s has the words %j', (pattern, words) => {
    expect(wordsOf(pattern)).toEqual(words)
  })

  it.each([
    ['', 'empty'],
    ['  ', 'empty'],
    ['Bash()', 'nothing between the brackets'],
    ['Bash( )', 'nothing between the brackets'],
    ['Bash(git status', 'bracket at the end is missing'],
    ['Bash git status)', 'without an opening one'],
    ['Bash(git status))', 'bracket|cannot be allowed'],
    ['Bash(git status) ', 'bracket at the end is missing'],
    ['/^git/', 'regular expression'],
    ['.*', 'regular expression'],
    ['Bash(/^git/)', 'regular expression'],
    ['Bash(git .*)', 'regular expression'],
    ['Bash(^git)', 'regular expression'],
    ['Bash', 'what Bash may do'],
    ['Bash(*)', 'name the program'],
    ['Bash(* status)', 'name the program'],
    ['Bash(:*)', 'name the program'],
    ['Edit', 'what Edit may do'],
    ['WebFetch', 'what WebFetch may do'],
    ['Bash(git log*)', 'whole words'],
    ['Bash(ls a?)', 'whole words'],
    ['Bash(a && b)', 'without redirections and without'],
    ['Bash(a > b)', 'without redirections and without'],
    ['Bash(a $(b))', 'known only at run time'],
    ['Bash(a $b)', 'known only at run time'],
    ["Bash(a 'b)", 'not closed'],
    ['Bash(a\nb)', 'control character'],
    ['Bash(a\u202eb)', 'control character'],
    [`Bash(${'a'.repeat(2000)})`, 'longer than 2,000'],
    ['Glob(src/**)', 'not for Glob'],
    ['some thing', 'not a known form'],
    ['Edit(../x)', 'cannot contain . or ..'],
    ['Edit(a/../x)', 'cannot contain . or ..'],
    ['Edit(src/)', 'or a slash at its end'],
    ['Edit(~root/x)', 'a slash after ~'],
    ['Edit(a**b)', 'must be alone'],
    ['Edit(a[b])', 'wildcards are \\* and \\*\\*'],
    ['WebFetch(example.com)', 'domain:'],
    ['WebFetch(domain:)', 'not a domain'],
    ['WebFetch(domain:a/b)', 'not a domain'],
    ['WebFetch(domain:u@a.com)', 'not a domain'],
    ['WebFetch(domain:*)', 'name the domain'],
    ['WebFetch(domain:*.com)', 'at least two'],
    ['WebFetch(domain:*.1.2.3.4)', 'at least two|not a domain'],
    ['mcp__a', 'mcp__server__tool'],
    ['mcp__a__', 'mcp__server__tool'],
    ['mcp__*__x', 'mcp__server__tool'],
    ['mcp__a__x*', 'mcp__server__tool'],
  ])('%j is refused as an allow, in one sentence', (pattern, words) => {
    const parsed = parseRulePattern(pattern, 'allow')
    expect(parsed).toMatchObject({ error: expect.stringMatching(new RegExp(words)) })
  })

  it.each(['Bash', 'Bash(*)', 'Bash(* push)', 'Edit', 'WebFetch', 'WebFetch(domain:*)'])('%s may deny', (pattern) => {
    expect(parseRulePattern(pattern, 'deny')).toHaveProperty('pattern')
  })
})

describe('a pattern for paths', () => {
  function fits(pattern: string, path: string, reading = { hidden: true, below: false }): boolean {
    const parsed = parsePathPattern(pattern)
    if ('error' in parsed) throw new Error(parsed.error)
    return fitsPath(parsed.segments, path.split('/'), reading)
  }

  it.each([
    ['src/**', 'src/a/b', true],
    ['src/**', 'src', false],
    ['src/**', 'srcs/a', false],
    ['**', 'a', true],
    ['**/a', 'a', true],
    ['**/a', 'b/a', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b/**/c', 'a/x/b/b/y/c', true],
    ['a/**/b/**/c', 'a/x/c', false],
    ['*.ts', 'a.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['A', 'a', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected)
  })

  it('stands for hidden names only where they are written out, if it is read so', () => {
    const narrow = { hidden: false, below: false }
    expect(fits('**', '.git/config', narrow)).toBe(false)
    expect(fits('src/*', 'src/.env', narrow)).toBe(false)
    expect(fits('**/x', 'a/.b/x', narrow)).toBe(false)
    expect(fits('.github/**', '.github/x.yml', narrow)).toBe(true)
    expect(fits('.e*', '.env', narrow)).toBe(true)
  })

  it('T49 is matched in few steps, whatever it is', () => {
    const random = seededRandom(49)
    const parts = ['*', '**', 'a', 'a*', '*a', '*a*a*a*a*', 'aaaaaaaaab', '*'.repeat(1), 'a*a*a*a*a*a*b']
    const names = ['a', 'aa', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'b', '.a']
    let most = 0
    for (let run = 0; run < 10_000; run++) {
      const some = (list: readonly string[], max: number) =>
        Array.from({ length: 1 + Math.floor(random() * max) }, () => list[Math.floor(random() * list.length)] ?? 'a')
      const pattern = parsePathPattern(some(parts, 64).join('/'))
      if ('error' in pattern) throw new Error(pattern.error)
      let steps = 0
      fitsPath(pattern.segments, some(names, 256), { hidden: true, below: run % 2 === 0 }, () => steps++)
      most = Math.max(most, steps)
    }
    // Names of the pattern times names of the path: never more.
    expect(most).toBeGreaterThan(100)
    expect(most).toBeLessThanOrEqual(64 * 256)
    expect(parsePathPattern(Array.from({ length: 65 }, () => '**').join('/'))).toHaveProperty('error')
  })
})
