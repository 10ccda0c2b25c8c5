import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { type Folders, launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { until } from '@holdpoint/testing/until'
import { describe, expect, test } from 'vitest'
import { canary, deny, held, touch, userSettings, verdicts } from './facts.ts'

canary()

type Said = { decision: 'allow' | 'deny' | 'ask'; command?: string }

/** A gate that answers each command as it is told to, and notes what it was told about it. */
function gate(answers: Record<string, Said | Promise<Said>>) {
  const heard: { command: string; cwd: string; mode: string | undefined }[] = []
  const hook: HookCallback = async (input) => {
    if (input.hook_event_name !== 'PreToolUse') return {}
    const { command } = input.tool_input as { command: string }
    heard.push({ command, cwd: input.cwd, mode: input.permission_mode })
    const said = await (answers[command] ?? { decision: 'deny' })
    const updatedInput = said.decision === 'allow' && { updatedInput: { command: said.command ?? command } }
    return {
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: said.decision, ...updatedInput },
    }
  }
  const hooks: Options['hooks'] = { PreToolUse: [{ hooks: [hook], timeout: 2_592_000, onFailure: 'block' }] }
  return { heard, hooks }
}

const bypass: Options = { ...launch, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
const bash = (command: string) => use('Bash', { command })

describe.concurrent('a gate hook that waits', () => {
  test('[T70] has the last word in bypassPermissions: yes, no, and an input of its own', async () => {
    const person = held<Said>()
    const { heard, hooks } = gate({
      'cd sub': { decision: 'allow' },
      'touch .claude/x': person.answer,
      'touch made': { decision: 'allow', command: 'touch handed-back' },
    })
    await using claude = await startRealClaude({
      script: steps([bash('cd sub'), bash('touch .claude/x'), touch('made')]),
      prepare: ({ cwd }) => mkdir(join(cwd, 'sub/.claude'), { recursive: true }).then(() => {}),
      options: { ...bypass, hooks },
    })
    await until(() => heard.some(({ command }) => command === 'touch .claude/x'), 'the call that waits')
    person.give({ decision: 'deny' })
    await claude.result()
    expect(claude.asks).toEqual([])
    expect(verdicts(claude)).toEqual(['unasked, ran', 'unasked, blocked', 'unasked, ran'])
    expect(await readdir(join(claude.cwd, 'sub'), { recursive: true })).toEqual(['.claude', 'handed-back'])
    // [T62] Only hooks are told in which folder a call acts.
    expect(heard.map(({ cwd }) => cwd.slice(claude.cwd.length))).toEqual(['', '/sub', '/sub'])
  })

  test('[T70] an ask of the gate is not heard there for files that Claude Code guards', async () => {
    const { hooks } = gate({
      'touch .claude/x': { decision: 'ask' },
      'ls &': { decision: 'ask' },
      'touch made': { decision: 'ask' },
    })
    await using claude = await startRealClaude({
      script: steps([bash('touch .claude/x'), bash('ls &'), touch('made')]),
      prepare: ({ cwd }) => mkdir(join(cwd, '.claude')),
      answer: deny,
      options: { ...bypass, hooks },
    })
    await claude.result()
    expect(verdicts(claude)).toEqual(['unasked, ran', 'unasked, ran', 'asked, blocked'])
  })

  test('[T65] in plan mode its yes is not heard, its ask and its no are', async () => {
    const { heard, hooks } = gate({
      'touch yes': { decision: 'allow' },
      'touch ask': { decision: 'ask' },
      'touch no': { decision: 'deny' },
    })
    await using claude = await startRealClaude({
      script: steps([touch('yes'), touch('ask'), touch('no')]),
      answer: deny,
      options: { ...launch, permissionMode: 'plan', hooks },
    })
    await claude.result()
    expect(verdicts(claude)).toEqual(['unasked, blocked', 'asked, blocked', 'unasked, blocked'])
    expect(heard.map(({ mode }) => mode)).toEqual(['plan', 'plan', 'plan'])
  })

  test('[T65] disableAllHooks switches the hooks of settings off, and not the gate', async () => {
    const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })
    const prepare = (folders: Folders) =>
      userSettings(folders, {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `touch rival; echo '${output}'` }] }] },
      })
    const { heard, hooks } = gate({ 'touch made': { decision: 'deny' } })
    const options: Options = { ...launch, settingSources: ['user'], settings: { disableAllHooks: true }, hooks }
    await using claude = await startRealClaude({ script: steps([touch('made')]), prepare, options })
    await claude.result()
    expect(heard).toHaveLength(1)
    expect(await claude.files()).toEqual([])
  })
})
