import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { seededRandom } from '@holdpoint/testing/seeded-random'
import { describe, expect, it } from 'vitest'
import { shellParts } from './shell-parts.ts'
import { writtenWord } from './shell-word.ts'

function commandsOf(line: string, cwd: string | undefined = '/p') {
  return shellParts(line, cwd).parts.flatMap((part) => (part.type === 'command' ? [part] : []))
}

function textsOf(line: string): string[] {
  return commandsOf(line).map(({ words }) => words.map(writtenWord).join(' '))
}

describe('the shape of a command line', () => {
  it.each([
    'ls',
    'ls -l "a b" \'c d\'',
    'a && b || c; d | e\nf',
    'a &&\n b',
    'a;',
    '! a | b',
    'a 2>&1 >&2 1>&2 >/dev/null 2>/dev/null < x >> y',
    'find . -name \\*.ts',
    'grep "a$" "b\\$c" "x|y$|z"',
    'git log HEAD~1 HEAD^ a..b',
    'echo a#b "#" é',
    "echo '$x `y` {a,b} ~ !'",
    'ls src/*.ts a? b[c]',
  ])('%j is known', (line) => {
    expect(shellParts(line, '/p').unknown).toBeUndefined()
  })

  it.each([
    '',
    ' ',
    '\n',
    'a & b',
    'a &',
    '& a',
    'a |& b',
    'a &> x',
    'a >& x',
    'a >| x',
    'a <> x',
    'a 3> x',
    'a 12> x',
    'a 1< x',
    'a 0> x',
    'a 2>&3',
    'a 2>&1x',
    'a >&-',
    '{x}> y a',
    'a << E\nE',
    'a <<< x',
    'a <(b)',
    'a >(b)',
    'a > *',
    '> x',
    '(a)',
    '{ a; }',
    'a() { b; }',
    'function a { b; }',
    'if a; then b; fi',
    'for a in b; do c; done',
    'while a; do b; done',
    'case a in b) c;; esac',
    'select a in b; do c; done',
    '[[ a ]]',
    '(( a ))',
    'coproc a',
    'time a',
    '! ! a',
    '!',
    'a !b',
    '!!',
    'A=b',
    'A=b c',
    'A+=b c',
    'a[0]=b c',
    'export A=b',
    'declare A=b',
    '$a',
    'a $b',
    'a "$b"',
    `a \${b}`,
    'a $(b)',
    'a `b`',
    'a "`b`"',
    'a $((1))',
    'a $[1]',
    "a $'b'",
    'a $"b"',
    'a "b!c"',
    'a ~',
    'a ~/b',
    'a b=~/c',
    'a b:~/c',
    'a {b,c}',
    'a {1..3}',
    'a @(b)',
    'a =b',
    'a # b',
    '# a',
    'a \\\n b',
    '"a" b',
    "a'' b",
    'a b""c',
    '\\a b',
    'a \\b',
    'a*b c',
    'a "b',
    "a 'b",
    'a \\',
    'a ;; b',
    'a ; ; b',
    '; a',
    '&& a',
    'a &&',
    'a |',
    'a ||',
    'a || && b',
    'a "b\nc"',
    "a 'b\nc'",
    'a\tb',
    'a\rb',
    'a\r\nb',
    'a\0b',
    'a\u0085b',
    'a\u00a0b',
    'a\u2028b',
    'a\u3000b',
    'a\u200bb',
    'a\u202eb',
    'a\ud800b',
    'a\x1b[1mb',
  ])('%j is not', (line) => {
    expect(shellParts(line, '/p').unknown).toMatch(/^[A-Z`].*\.$/)
  })

  it('T20 is not known of what is longer than 10,000 characters, and its commands are found all the same', () => {
    const long = `${'echo x; '.repeat(1300)}git push`
    const read = shellParts(long, '/p')
    expect(read).toMatchObject({ unknown: 'The command is too long to be judged.', isUnread: false })
    expect(read.parts.map(({ text }) => text)).toContain('git push')
    expect(shellParts('x'.repeat(100_001), '/p')).toMatchObject({ parts: [], isUnread: true })
    expect(shellParts(`a ${'"$('.repeat(20_000)}`, '/p')).toMatchObject({ isUnread: true })
  })
})

describe('commands that can be found', () => {
  it.each([
    ['echo $(git push)', 'git push'],
    ['echo `git push`', 'git push'],
    ['echo "a $(b $(git push))"', 'git push'],
    ['cat <(git push)', 'git push'],
    ['cat << E\n$(git push)\nE', 'git push'],
    ['A=$(git push)', 'git push'],
    [`echo \${a:-$(git push)}`, 'git push'],
    ['echo $((a[$(git push)]))', 'git push'],
    ['[[ -n $(git push) ]]', 'git push'],
    ['if x; then git push; fi', 'git push'],
    ['for a in b; do git push; done', 'git push'],
    ['f() { git push; }', 'git push'],
    ['(git push)', 'git push'],
    ['{ git push; } > x', 'git push'],
    ['git push & x', 'git push'],
    ['time git push', 'git push'],
    ['sh -c "git push"', 'git push'],
    ["bash -lc 'x && git push'", 'git push'],
    ['sudo -u me git push', 'git push'],
    ["env -S 'git push'", 'git push'],
    ['git -c alias.x="!git push" x', 'git push'],
    ['find . -exec git push \\;', 'git push ;'],
    ['eval git push', 'git push'],
    ['bash << E\ngit push\nE', 'git push'],
    ['sudo sh -c "sh -c \'git push\'"', 'git push'],
  ])('in %j', (line, command) => {
    expect(textsOf(line)).toContain(command)
  })
})

describe('the folder of a command', () => {
  it.each([
    ['x', '/p'],
    ['cd a && x', '/p/a'],
    ['cd a && cd b && x', '/p/a/b'],
    ['cd /q && x', '/q'],
    ['cd a; x', undefined],
    ['cd a\nx', undefined],
    ['cd a && y; x', undefined],
    ['cd a || x', undefined],
    ['y || cd a && x', undefined],
    ['y && cd a || x', undefined],
    ['cd a | y; x', undefined],
    ['! cd a && x', undefined],
    ['cd && x', undefined],
    ['cd - && x', undefined],
    ['cd .. && x', undefined],
    ['cd a/../b && x', undefined],
    ['cd -P a && x', undefined],
    ['cd a* && x', undefined],
    ['cd $a && x', undefined],
    ['pushd a && x', undefined],
    ['popd; x', undefined],
    ['{ cd a; }; x', undefined],
  ])('%j ends in %j', (line, folder) => {
    expect(commandsOf(line).at(-1)?.folder).toBe(folder)
  })

  it('is not known where the line does not start in one that is', () => {
    expect(commandsOf('cd a && x', '').at(-1)?.folder).toBeDefined()
    expect(shellParts('cd a && x', undefined).parts).toMatchObject([{ folder: undefined }, { folder: undefined }])
  })
})

/** Lines that look like what people write, some with one character more, less or other. */
function randomLines(count: number, seed: number): string[] {
  const random = seededRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const pieces = [
    'a',
    'b-c',
    'd/e',
    '-x',
    '--long=v',
    'f.txt',
    "'g h'",
    '"i j"',
    '"k$"',
    '\\*',
    'm\\ n',
    "o'p q'r",
    '*.z',
    'h?',
    's[t]',
    '1',
    '2',
    '@{u}',
    'é',
    'u=v',
    'HEAD~1',
    "''",
    '""',
    "'\"'",
    '"\'"',
    '"\\"w\\\\"',
    '%s',
    'x#y',
    ',',
    ':',
    '+',
    '\\;',
    "'#'",
    "'|'",
    '"a&&b"',
  ]
  const joins = [' && ', ' | ', '; ', '\n', '&&', '|', ' ;', ' 2>&1 | ', ' >/dev/null; ']
  const noise = [...'ab \\\'"$`!#~{}[]()*?;&|<>=\n\t-0129%^:,@+./é']
  const command = () =>
    [
      pick(['echo', 'git', 'k', 'tool-1']),
      ...Array.from({ length: Math.floor(random() * 5) }, () => pick(pieces)),
    ].join(' ')
  return Array.from({ length: count }, () => {
    let line = command()
    while (random() < 0.4) line += pick(joins) + command()
    for (let chance = 0.45; random() < chance; chance -= 0.1) {
      const at = Math.floor(random() * (line.length + 1))
      const [from, to] = pick([
        [at, at + 1],
        [at, at],
        [at, at + 2],
      ] as const)
      line = line.slice(0, from) + (random() < 0.8 ? pick(noise) : '') + line.slice(to)
    }
    return line
  })
}

/** The words of every command that bash runs in each line. Nothing runs: each name is a function that prints its words. */
function wordsOfBash(lines: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-words-'))
  const show = `() { local IFS= all= word; for word in "$@"; do all+="$word"$'\\1'; done; printf '%s\\2' "$all" >&3; }`
  const script = [
    'PATH=/nonexistent; set -f',
    `show${show}`,
    `command_not_found_handle() { show "$@"; }`,
    ...['echo', 'git', 'k', 'tool-1'].map((name) => `${name}() { show ${name} "$@"; }`),
    `while IFS= read -r -d '' line; do eval "$line" >/dev/null 2>&1 </dev/null; wait; printf '\\3' >&3; done`,
  ].join('\n')
  const bash = spawnSync('bash', ['--norc', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    input: lines.map((line) => `${line}\0`).join(''),
    maxBuffer: 1e9,
  })
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
  return String(bash.output[3])
    .split('\x03')
    .slice(0, -1)
    .map((text) => text.split('\x02').slice(0, -1).sort())
}

describe('T19 the words of a command', () => {
  it('T19 are those that bash has, in every line whose shape is known', { timeout: TIMEOUT_MS }, () => {
    const lines = randomLines(LONG ? 100_000 : 20_000, LONG ? Date.now() : 19)
    const known = lines.flatMap((line) => {
      const { parts, unknown } = shellParts(line, '/p')
      const commands = parts.flatMap((part) =>
        part.type === 'command' && !part.isInner ? [part.words.map(writtenWord)] : [],
      )
      if (unknown !== undefined) return []
      // Whether these run depends on others, they are built in, or they write files.
      const isOther =
        /\|\||(^|[\s;|&])! /.test(line) ||
        commands.some(([name = '']) => /\/|^([.:[]|[bf]g|fc|cd)$/.test(name)) ||
        parts.some(({ type }) => type === 'redirect')
      return [{ line, commands, isOther }]
    })
    const compared = known.filter(({ isOther }) => !isOther)
    report(`T19: ${known.length} of ${lines.length} lines have a known shape, ${compared.length} compared with bash`)
    expect(known.length).toBeGreaterThan(lines.length / 2)
    const seen = wordsOfBash(compared.map(({ line }) => line))
    const own = compared.map(({ commands }) =>
      commands.map((words) => words.map((word) => `${word}\x01`).join('')).sort(),
    )
    const wrong = compared.flatMap(({ line }, at) =>
      JSON.stringify(seen[at]) === JSON.stringify(own[at]) ? [] : [{ line, bash: seen[at], own: own[at] }],
    )
    expect(wrong.slice(0, 5)).toEqual([])
    expect(seen.length).toBe(compared.length)
  })
})
