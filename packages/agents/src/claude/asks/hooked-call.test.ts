import type { PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { expect, it } from 'vitest'
import { guardedFlags, hookedCall } from './hooked-call.ts'

function mayNotBeRemembered(name: string, input: Record<string, unknown>): boolean | undefined {
  const call = { tool_name: name, tool_input: input, tool_use_id: 't' } as unknown as PreToolUseHookInput
  return hookedCall(call, 'r').suppressAlwaysAllowRule
}

it.each([
  ['Write', { file_path: '/w/.git/hooks/pre-commit', content: 'x' }],
  ['Write', { file_path: '.claude/settings.json', content: 'x' }],
  ['Write', { file_path: '/w/.mcp.json', content: 'x' }],
  ['Write', { file_path: '/home/a/.claude.json', content: 'x' }],
  ['Write', { file_path: '/w/.vscode/tasks.json', content: 'x' }],
  ['Write', { file_path: '/w/.idea/x.xml', content: 'x' }],
  ['Write', { file_path: '/w/.husky/pre-push', content: 'x' }],
  ['Write', { file_path: '/w/.gitmodules', content: 'x' }],
  ['Write', { file_path: '/home/a/.bashrc', content: 'x' }],
  ['Write', { file_path: '/home/a/.zshenv', content: 'x' }],
  ['Write', { file_path: '/home/a/.zprofile', content: 'x' }],
  ['Write', { file_path: '/home/a/.profile', content: 'x' }],
  ['Bash', { command: 'rm -rf src; touch .claude/x' }],
  ['Bash', { command: 'cp a ".GIT/config"' }],
  ['Bash', { command: 'git config --file=.gitconfig a.b c' }],
])('T70 a call that touches a guarded file is not remembered from the hook: %s %j', (name, input) => {
  expect(mayNotBeRemembered(name, input)).toBe(true)
})

it.each([
  ['Write', { file_path: '/w/src/index.ts', content: 'x' }],
  ['Write', { file_path: '/w/.gitignore', content: 'x' }],
  ['Bash', { command: 'npm test' }],
])('a plain call may be: %s %j', (name, input) => expect(mayNotBeRemembered(name, input)).toBe(false))

it.each(['Skill', 'Task', 'mcp__server__tool', 'Unheard'])(
  'T70 nor is a tool whose input does not say all that it does: %s',
  (name) => expect(mayNotBeRemembered(name, { a: 1 })).toBe(true),
)

it.each([
  ['Write', { file_path: '/w/.git/hooks/pre-commit', content: 'x' }, true],
  ['NotebookEdit', { notebook_path: '/w/.claude/a.ipynb', new_source: 'x' }, true],
  ['Bash', { command: 'touch .claude/x' }, true],
  // It only speaks of one.
  ['Write', { file_path: '/w/README.md', content: 'see .git/config' }, false],
  ['Read', { file_path: '/w/.git/config' }, false],
] as const)('T61 what a call writes to a guarded file is allowed by itself only: %s %j', (name, input, isAlone) => {
  expect(guardedFlags(name, input)).toEqual({ suppressAlwaysAllowRule: true, defaultToNo: isAlone })
})
