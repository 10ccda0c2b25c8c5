import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { type Step, steps, subagents } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import { askForAll, type Folders, launch, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test, vi } from 'vitest'
import { canary, deny, projectSettings, touch, userSettings, verdicts } from './facts.ts'

canary()

const readOnly = [
  'ls',
  'cat a.txt',
  'echo hello',
  "find . -name '*.txt'",
  'rg hello a.txt',
  'sed -n 1p a.txt',
  'date',
  'wc -l a.txt',
  'git status',
  'git log',
  'LANG=C ls',
  'pwd && ls',
]

const asking = [
  'touch b.txt',
  'rm a.txt',
  'echo hello > b.txt',
  'echo $(touch b.txt)',
  'echo `touch b.txt`',
  'ls\ntouch b.txt',
  'ls; touch b.txt',
  'ls && touch b.txt',
  'ls | tee b.txt',
  'ls & touch b.txt',
  'cat <(touch b.txt)',
  'MY_SETTING=1 ls',
  'find . -exec touch b.txt {} +',
  "awk '{print}' a.txt",
  'echo b.txt | xargs touch',
  'env touch b.txt',
  'curl http://127.0.0.1:9/',
  'cat /etc/hosts',
]

const commands = [...readOnly, ...asking]
const thirty = steps(commands.map((command) => use('Bash', { command })))

const repository = async ({ cwd }: Folders) => {
  await writeFile(join(cwd, 'a.txt'), 'hello\n')
  await promisify(execFile)('git', ['init', '--quiet', cwd])
}

async function askedAbout(options: Options, { script = thirty, prepare = repository } = {}): Promise<string[]> {
  await using claude = await startRealClaude({ script, prepare, answer: deny, options })
  await claude.result()
  return claude.asks.map((ask) => String(ask.input.command))
}

describe.concurrent('which calls ask', () => {
  test('[T36] E10: in default mode 12 of 30 commands run unasked', async () => {
    expect(commands).toHaveLength(30)
    expect(await askedAbout(launch)).toEqual(asking)
  })

  test('[T36] E11: with the gate hook all 30 ask', async () => {
    expect(await askedAbout({ ...launch, hooks: askForAll })).toEqual(commands)
  })

  test('[T35] E11: the gate hook beats an allow hook of the folder, a rule of the user and acceptEdits', async () => {
    const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } })
    const prepare = async (folders: Folders) => {
      await repository(folders)
      await projectSettings(folders, {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `echo '${output}'` }] }] },
      })
      await userSettings(folders, { permissions: { allow: ['Bash'] } })
    }
    const script = steps([use('Bash', { command: 'ls' }), touch('made')])
    const asked = await askedAbout({ permissionMode: 'acceptEdits', hooks: askForAll }, { script, prepare })
    expect(asked).toEqual(['ls', 'touch made'])
  })

  const lsAndTouch = steps([use('Bash', { command: 'ls' }), touch('made')])
  const failing: Pick<Options, 'hooks'>[] = [
    { hooks: { PreToolUse: [{ hooks: [() => Promise.reject(new Error('broken'))] }] } },
    { hooks: { PreToolUse: [{ hooks: [() => Promise.reject(new Error('broken'))], onFailure: 'block' }] } },
    { hooks: { PreToolUse: [{ hooks: [() => new Promise(() => {})], timeout: 1 }] } },
    { hooks: { PreToolUse: [{ hooks: [() => new Promise(() => {})], timeout: 1, onFailure: 'block' }] } },
  ]

  test.each([
    ['[T37] E12: a hook that throws lets a read-only call through', 0, ['unasked, ran', 'asked, blocked']],
    ['[T37] E12: a hook that throws blocks with onFailure', 1, ['unasked, blocked', 'unasked, blocked']],
    ['E13: a hook that overruns its time blocks', 2, ['unasked, blocked', 'unasked, blocked']],
    ['E13: a hook that overruns its time blocks with onFailure', 3, ['unasked, blocked', 'unasked, blocked']],
  ] as const)('%s', async (_, index, expected) => {
    await using claude = await startRealClaude({
      script: lsAndTouch,
      answer: deny,
      options: { ...launch, ...failing[index] },
    })
    await claude.result()
    expect(verdicts(claude)).toEqual(expected)
  })

  /** Read, Write and Agent of the main thread; Bash and Read of the subagent. */
  const fiveCalls = (background: boolean): Script => {
    const inside: Step[] = [[touch('sub'), use('Read', { file_path: 'a.txt' })]]
    const sub = subagents([{ prompt: 'The subtask.', steps: inside }], { background })
    const agent = use('Agent', {
      description: 'a subtask',
      prompt: 'The subtask.',
      subagent_type: 'general-purpose',
      run_in_background: background,
    })
    const main = steps([
      [use('Read', { file_path: 'a.txt' }), use('Write', { file_path: 'w.txt', content: 'w' }), agent],
    ])
    return (call) => (call.subagent ? sub(call) : main(call))
  }

  test.each([false, true])('E24: the gate hook covers a subagent (background: %s)', async (background) => {
    const seen = async (options: Options) => {
      await using claude = await startRealClaude({ script: fiveCalls(background), prepare: repository, options })
      await claude.result()
      await vi.waitFor(async () => expect(await claude.files()).toEqual(['a.txt', 'sub', 'w.txt']), { timeout: 10_000 })
      const insideDone = () => claude.model.requests.filter((request) => request.subagent).length >= 2 || undefined
      await claude.until(insideDone, 'the end of the subagent')
      return claude.asks.map((ask) => `${ask.name}${ask.context.agentID ? ' of a subagent' : ''}`).sort()
    }
    expect(await seen(launch)).toEqual(['Bash of a subagent', 'Write'])
    expect(await seen({ ...launch, hooks: askForAll })).toEqual([
      'Agent',
      'Bash of a subagent',
      'Read',
      'Read of a subagent',
      'Write',
    ])
  })

  test('plan mode refuses a call unasked; with the gate hook it asks, and an allow runs it', async () => {
    await using plain = await startRealClaude({
      script: steps([touch('made')]),
      options: { ...launch, permissionMode: 'plan' },
    })
    await plain.result()
    expect(verdicts(plain)).toEqual(['unasked, blocked'])
    await using gated = await startRealClaude({
      script: steps([touch('made')]),
      options: { ...launch, permissionMode: 'plan', hooks: askForAll },
    })
    await gated.result()
    expect(verdicts(gated)).toEqual(['asked, ran'])
  })
})
