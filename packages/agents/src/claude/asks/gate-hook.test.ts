import type { PermissionMode, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { Gate } from '@holdpoint/schema/session'
import { describe, expect, it } from 'vitest'
import { hookVerdict } from './gate-hook.ts'
import { createInteractiveTools } from './interactive-tools.ts'

const tools = createInteractiveTools([])

function verdict(
  name: string,
  input: object,
  {
    trusted = true,
    mode = 'default' as PermissionMode,
    gate = 'default' as Gate,
    watched = undefined as Parameters<typeof hookVerdict>[1]['watched'],
    ruled = 'none' as Parameters<typeof hookVerdict>[1]['ruled'],
  } = {},
) {
  const call = { tool_name: name, tool_input: input, permission_mode: mode } as PreToolUseHookInput
  const said = hookVerdict(call, { gate, trusted, tools, watched, ruled })
  if (typeof said === 'string') return said
  const output = (said.say as { hookSpecificOutput?: { permissionDecision?: string } }).hookSpecificOutput
  return output?.permissionDecision ?? 'nothing'
}

describe('T34 the hook before a call', () => {
  it.each<[string, object]>([
    ['EnterWorktree', { name: 'x' }],
    ['Agent', { prompt: 'x', isolation: 'worktree' }],
    ['Task', { prompt: 'x', isolation: 'worktree' }],
  ])('asks for %s in a trusted folder too: nobody has looked at the settings in a worktree', (name, input) => {
    expect(verdict(name, input)).toBe('ask')
    expect(verdict(name, input, { trusted: false })).toBe('ask')
    expect(verdict(name, input, { mode: 'acceptEdits' })).toBe('ask')
    expect(verdict(name, input, { mode: 'bypassPermissions' })).toBe('nothing')
  })

  it('leaves a subagent in the same folder, and git in a trusted one, to the agent’s own gate', () => {
    expect(verdict('Agent', { prompt: 'x' })).toBe('nothing')
    expect(verdict('Bash', { command: 'git status' })).toBe('nothing')
    expect(verdict('Bash', { command: 'git status' }, { trusted: false })).toBe('ask')
  })

  it('asks for what may change the files that a folder was trusted for, in every mode that asks', () => {
    const watched = { areUnchanged: true, mayChange: true }
    expect(verdict('Write', { file_path: 'x' }, { watched })).toBe('ask')
    expect(verdict('Write', { file_path: 'x' }, { watched, mode: 'acceptEdits' })).toBe('ask')
    expect(verdict('Write', { file_path: 'x' }, { watched: { ...watched, mayChange: false } })).toBe('nothing')
    expect(verdict('Skill', { skill: 'x', args: 'y' }, { watched, mode: 'acceptEdits' })).toBe('ask')
  })

  it('refuses every call once these files have changed: a hook that nobody has seen could answer it, or change it', () => {
    const watched = { areUnchanged: false, mayChange: false }
    for (const mode of ['default', 'acceptEdits', 'plan'] as const) {
      expect(verdict('Bash', { command: 'ls' }, { watched, mode })).toBe('deny')
      expect(verdict('ExitPlanMode', {}, { watched, mode })).toBe('deny')
      expect(verdict('AskUserQuestion', {}, { watched, mode })).toBe('deny')
    }
    // There, hooks of settings are switched off.
    const gate = 'everything'
    expect(verdict('Bash', { command: 'ls' }, { watched, gate })).toBe('wait')
    expect(verdict('Bash', { command: 'ls' }, { watched, gate, mode: 'plan' })).toBe('ask')
    expect(verdict('AskUserQuestion', {}, { watched, gate })).toBe('ask')
  })
})

describe('the hook before a call that a rule is about', () => {
  const MODES = ['default', 'acceptEdits', 'plan', 'auto', 'bypassPermissions', 'dontAsk'] as const

  it.each(MODES)('puts it on record and waits itself in %s, whatever the rule says', (mode) => {
    for (const ruled of ['allow', 'ask', 'deny'] as const) {
      // In plan mode nobody says whether a rule of the agent's own wants a person: there no rule allows.
      const isLeft = mode === 'plan' && ruled === 'allow'
      expect(verdict('Bash', { command: 'make' }, { mode, ruled })).toBe(isLeft ? 'nothing' : 'wait')
      const gate = 'everything'
      expect(verdict('Bash', { command: 'make' }, { mode, ruled, gate })).toBe(isLeft ? 'ask' : 'wait')
    }
  })

  it('asks all the same where something stricter than a rule’s yes wants a person', () => {
    const ruled = 'allow'
    const watched = { areUnchanged: true, mayChange: true }
    expect(verdict('Bash', { command: 'git status' }, { ruled, trusted: false })).toBe('ask')
    expect(verdict('Write', { file_path: 'x' }, { ruled, watched })).toBe('ask')
    expect(verdict('EnterWorktree', { name: 'x' }, { ruled })).toBe('ask')
    expect(verdict('Skill', { skill: 'x', args: '@file' }, { ruled })).toBe('ask')
    expect(verdict('Bash', { command: 'ls' }, { ruled, watched: { areUnchanged: false, mayChange: false } })).toBe(
      'deny',
    )
  })

  it('waits for a person there where every call asks: such a session is never the looser one', () => {
    const given = { ruled: 'allow', gate: 'everything' } as const
    const watched = { areUnchanged: true, mayChange: true }
    expect(verdict('Bash', { command: 'git status' }, { ...given, trusted: false })).toBe('wait-for-person')
    expect(verdict('Write', { file_path: 'x' }, { ...given, watched })).toBe('wait-for-person')
    expect(verdict('EnterWorktree', { name: 'x' }, given)).toBe('wait-for-person')
    expect(verdict('Skill', { skill: 'x', args: '@file' }, given)).toBe('wait-for-person')
    expect(verdict('Bash', { command: 'ls' }, given)).toBe('wait')
  })
})
