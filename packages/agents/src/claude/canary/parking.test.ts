import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Options } from '@anthropic-ai/claude-agent-sdk'
import { steps, subagents } from '@holdpoint/demo-model/scenarios'
import { say, use } from '@holdpoint/demo-model/script'
import { bundleFormsServer } from '@holdpoint/testing/bundle-forms-server'
import { type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { describe, expect, test, vi } from 'vitest'
import { runsAlone } from '../../processes/processes.ts'
import { sessionSettings } from '../sdk/launch-options.ts'
import { detachable } from './detachable.ts'
import { canary } from './facts.ts'

canary()

const OURS: Options = {
  settingSources: ['user'],
  strictMcpConfig: true,
  permissionMode: 'default',
  settings: sessionSettings({ gate: 'default', trusted: false }),
}

const background = (command: string) => steps([use('Bash', { command, run_in_background: true })])
const isAlone = (claude: RealClaude) => runsAlone(claude.child().pid ?? 0)
/** What it said last of its background tasks. */
const tasks = (lines: readonly Record<string, unknown>[]) =>
  lines.findLast(({ subtype }) => subtype === 'background_tasks_changed')?.tasks as { task_type: string }[] | undefined
const states = ({ lines }: RealClaude) =>
  lines.flatMap(({ subtype, state }) => (subtype === 'session_state_changed' ? [state] : []))

describe.concurrent('E26 an agent that waits for a message', () => {
  test('says that it is idle, and has no process of its own', async () => {
    await using claude = await startRealClaude({ script: steps([use('Bash', { command: 'ls' })]), options: OURS })
    await claude.result()
    await claude.until(() => (states(claude).at(-1) === 'idle' ? true : undefined), 'its word that it is idle')
    expect(tasks(claude.lines)).toBeUndefined()
    await vi.waitFor(async () => expect(await isAlone(claude)).toBe(true), { timeout: 5000 })
  })

  test('tells of a command in the background, which is its child, and begins a turn by itself when that ends', async () => {
    await using claude = await startRealClaude({ script: background('sleep 1.5'), options: OURS })
    await claude.result()
    expect(tasks(claude.lines)).toMatchObject([{ task_type: 'local_bash' }])
    expect(await isAlone(claude)).toBe(false)
    await claude.result(2)
    expect(tasks(claude.lines)).toEqual([])
    await claude.until(() => (states(claude).length >= 4 ? true : undefined), 'its word that it is idle again')
    expect(states(claude).filter((state) => state !== 'requires_action')).toEqual([
      'running',
      'idle',
      'running',
      'idle',
    ])
    // Each turn says so before it begins.
    const said = claude.lines.map(({ subtype, state }) => (subtype === 'init' ? 'init' : state)).filter(Boolean)
    expect(said.filter((word) => word !== 'requires_action')).toEqual([
      ...['running', 'init', 'idle'],
      ...['running', 'init', 'idle'],
    ])
  })

  test('tells of a subagent in the background, which is no process, and does not say that it is idle', async () => {
    const main = subagents([{ prompt: 'The subtask.', steps: [] }], { background: true })
    await using claude = await startRealClaude({
      script: (call) => (call.subagent ? delay(1500).then(() => say('done')) : main(call)),
      options: OURS,
    })
    await claude.result()
    expect(tasks(claude.lines)).toMatchObject([{ task_type: 'local_agent' }])
    expect(states(claude)).not.toContain('idle')
    expect(await isAlone(claude)).toBe(true)
    await claude.result(2)
    expect(tasks(claude.lines)).toEqual([])
  })

  test('keeps the servers of its configuration running', async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'holdpoint-forms-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const forms = await bundleFormsServer(folder)
    const options: Options = { ...OURS, mcpServers: { forms: { type: 'stdio', ...forms } } }
    await using claude = await startRealClaude({ script: () => say('hi'), options })
    await claude.result()
    expect(await isAlone(claude)).toBe(false)
  })
})

test.each([true, false])(
  'E26 a process that is taken over tells anew what it does (in the background: %s)',
  async (busy) => {
    await using agent = detachable({ dropsHooks: true })
    const options = { ...OURS, spawnClaudeCodeProcess: agent.spawn }
    await using first = await startRealClaude({ script: busy ? background('sleep 20') : steps([]), options })
    await first.result()
    agent.cut()
    const before = agent.lines.length
    await using second = await startRealClaude({ script: steps([]), folders: first, prompt: null, options })
    await second.query.initializationResult()
    const news = () => agent.lines.slice(before)
    await vi.waitFor(() => expect(tasks(news())).toHaveLength(busy ? 1 : 0), { timeout: 5000 })
    const reply = news().find(({ type }) => type === 'control_response')
    expect(reply).toMatchObject({ response: { response: { session_state: 'idle' } } })
  },
)

test.concurrent('E26 a conversation that goes on has the mode and model that it is given, and says where the model is another', async () => {
  const script = () => say('hi')
  await using first = await startRealClaude({
    script,
    options: { ...OURS, model: 'claude-sonnet-4-5', permissionMode: 'plan' },
  })
  const { session_id: resume } = await first.result()
  const child = first.child()
  child.kill('SIGTERM')
  await first.ended
  const goOn = async (options: Options) => {
    await using next = await startRealClaude({ script, folders: first, options: { ...OURS, resume, ...options } })
    await next.result()
    const init = next.messages.find((message) => message.type === 'system' && message.subtype === 'init')
    return {
      init,
      history: next.model.requests.at(-1)?.messages.length ?? 0,
      models: await next.query.supportedModels(),
    }
  }
  const same = await goOn({ model: 'claude-sonnet-4-5', permissionMode: 'plan' })
  expect(same.init).toMatchObject({ session_id: resume, model: 'claude-sonnet-4-5', permissionMode: 'plan' })
  expect(same.history).toBeGreaterThan(1)
  // A model that is no longer offered becomes another one, without a word.
  const other = await goOn({ model: 'claude-opus-4-1', permissionMode: 'acceptEdits' })
  expect(other.init).toMatchObject({ session_id: resume, permissionMode: 'acceptEdits' })
  expect(other.init).not.toMatchObject({ model: 'claude-opus-4-1' })
  // A short name is told with what it stands for.
  expect(other.models.find(({ value }) => value === 'sonnet')?.resolvedModel).toMatch(/^claude-sonnet-/)
})
