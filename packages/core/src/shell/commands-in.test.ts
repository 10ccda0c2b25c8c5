import { describe, expect, it } from 'vitest'
import { commandsIn } from './commands-in.ts'

const programs = (line: string) => {
  const found = commandsIn(line)
  return found.known ? found.commands.map(({ words }) => words.map((word) => word ?? '?').join(' ')) : found.why
}
const folders = (line: string) => {
  const found = commandsIn(line)
  return found.known ? found.commands.filter(({ words }) => words[0] !== 'cd').map((command) => command.folders) : found
}

describe('T22 the programs of a command line', () => {
  it.each([
    ['git status', ['git status']],
    ['git status && ls; pwd | wc -l & date', ['git status', 'ls', 'pwd', 'wc -l', 'date']],
    ['! grep -q x y || { git log; }', ['grep -q x y', 'git log']],
    ['(git diff) > out 2>&1', ['git diff']],
    ["g'i't \"sta\"tus $'\\x2dv'", ['git status -v']],
    ['\\git status', ['git status']],
    ['CI=1 git status', ['git status']],
    ['CI=$(git log) true', ['git log', 'true']],
    ['echo "`git log`" $HOME *.ts ~/x', ['git log', 'echo ? ? ? ?']],
    ['git commit -m "$(cat <<\'EOF\'\na message\nEOF\n)"', ['cat', 'git commit -m ?']],
    ['cat <<E\n$(git log)\nE', ['git log', 'cat']],
    ['diff <(git show) b', ['git show', 'diff ? b']],
    ['[ -n x ]', ['[ -n x ]']],
    ['time git status', ['git status']],
    ['set -euo pipefail; git log', ['set -euo pipefail', 'git log']],
    ['export CI=$(git log)', ['git log', 'export ?']],
    ['', []],
    ['# git', []],
  ])('%j runs %j', (line, expected) => {
    expect(programs(line)).toEqual(expected)
  })

  it.each([
    ['$X status', /name of a program/],
    ['g$(echo i)t status', /name of a program/],
    ['gi? status', /name of a program/],
    ['~/bin/git status', /name of a program/],
    ['for f in *; do git log; done', /loop or a condition/],
    ['if true; then git log; fi', /loop or a condition/],
    ['f() { git log; }; f', /defines a function/],
    ['eval git log', /uses eval/],
    ['alias ls=git; ls', /uses alias/],
    ['trap "git log" EXIT', /uses trap/],
    ['set -- a', /uses set/],
    ['PATH=. git log', /sets PATH/],
    ['FOO=1 git log', /sets FOO/],
    ['[[ -n $(git log) ]]', /form/],
    ['CI[0]=1 git log', /sets CI/],
    ['export PATH=.:$PATH; git log', /sets PATH/],
    ['declare "$X"', /sets a variable/],
    ['LD_PRELOAD=./x.so ls', /sets LD_PRELOAD/],
    ['echo "unfinished', /cannot be parsed/],
    ['echo $(', /cannot be parsed/],
    ['a && ', /cannot be parsed/],
    ['x'.repeat(100_001), /too long/],
    ['('.repeat(50_000), /./],
  ])('of %j are not known', (line, why) => {
    expect(programs(line)).toMatch(why)
  })
})

describe('T22 where a program runs', () => {
  it.each([
    ['git log', [['.']]],
    ['cd sub && git log', [['sub']]],
    ['cd sub/.. && git log', [['.']]],
    ['cd /a/b && cd .. && git log', [['/a']]],
    ['cd sub; git log', [['sub', '.']]],
    ['cd sub || git log', [['.']]],
    ['cd a || cd b && git log', [['a', 'b']]],
    ['! cd sub && git log', [['.']]],
    ['(cd sub && git log); git diff', [['sub'], ['.']]],
    ['{ cd sub && git log; }; git diff', [['sub'], ['sub', '.']]],
    ['cd sub | git log', [['.']]],
    ['cd sub & git log', [['.']]],
    ['cd && git log', [[]]],
    ['cd - && git log', [[]]],
    ['cd $X && git log', [[]]],
    ['cd ~ && cd a && git log', [[]]],
    ['pushd sub && git log', [['.'], []]],
  ])('%j: %j', (line, expected) => {
    expect(folders(line)).toEqual(expected)
  })
})
