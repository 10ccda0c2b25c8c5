import { expect, it } from 'vitest'
import { mayRunFolderCode } from './folder-code.ts'

const git = [
  'git status',
  'git diff --stat HEAD | head',
  'cd sub && git log',
  '/usr/bin/git status',
  '"git" status',
  "g''it status",
  'ls; git-status',
  'echo "$(git rev-parse HEAD)"',
  'timeout 5 git status',
  'timeout 5 /usr/bin/git status',
  'ls | xargs git blame',
  'find . -exec git blame {} +',
  'sh -c "git status"',
  'env GIT_DIR=x git status',
  'nice git log',
  'noglob git status',
  'nocorrect git status',
  '- git status',
  'repeat 1 git status',
  'exec git status',
  'builtin git status',
  'command git status',
  'caffeinate git status',
  'xcrun git status',
]
const unclear = [
  '$X status',
  'for f in *; do cat $f; done',
  'f() { git status; }; f',
  'PATH=. ls',
  'ls "',
  'timeout 5 $X',
]
const harmless = [
  'ls',
  'cat .git/config',
  'grep git README.md',
  'rg git',
  'echo git',
  'find . -name "*.txt"',
  'pwd && ls',
  'ls | xargs echo',
  'jq .git package.json',
  'command -v git',
  'noglob ls',
]

it.each([...git, ...unclear])('T67 may run code of the folder: %s', (command) => {
  expect(mayRunFolderCode('Bash', { command })).toBe(true)
})

it.each(harmless)('T67 runs no code of the folder: %s', (command) => {
  expect(mayRunFolderCode('Bash', { command })).toBe(false)
})

it('T67 knows the tools that use git themselves', () => {
  expect(mayRunFolderCode('EnterWorktree', {})).toBe(true)
  expect(mayRunFolderCode('Agent', { prompt: 'x', isolation: 'worktree' })).toBe(true)
  expect(mayRunFolderCode('Agent', { prompt: 'git status' })).toBe(false)
  expect(mayRunFolderCode('Read', { file_path: '.git/config' })).toBe(false)
})
