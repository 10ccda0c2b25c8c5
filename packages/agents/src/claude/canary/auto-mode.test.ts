import type { HookCallback, Options } from '@anthropic-ai/claude-agent-sdk'
import { type Step, steps, subagents } from '@holdpoint/demo-model/scenarios'
import { type Block, type Script, use } from '@holdpoint/demo-model/script'
import { launch, type RealClaude, startRealClaude } from '@holdpoint/testing/real-claude'
import { until } from '@holdpoint/testing/until'
import { describe, expect, test } from 'vitest'
import { detachable } from './detachable.ts'
import { canary, held, touch, verdicts } from './facts.ts'

canary()

const REASON = 'It runs an unknown script.'
const RETRY = 'The PermissionDenied hook indicated you may retry this tool call.'
/** Makes a file, in a way that the check of auto mode has a say in. */
const make = { ...use('Bash', { command: 'sh -c "touch made"' }), flagged: REASON }
/** The same, of all that is not flagged. */
const passed =
  (script: Script): Script =>
  async (call) => {
    const reply = await script(call)
    const check = (block: Block): Block => (block.type === 'tool_use' ? { flagged: false, ...block } : block)
    return { ...reply, content: reply.content.map(check) }
  }
const never = () => new Promise<never>(() => {})

type Gate = 'allow' | 'deny' | 'none'

/**
 * Both hooks, and what each was told, in order. `retry` is what the later one says. `gate` is what the earlier one says to
 * each call in turn: nothing where it is not named.
 */
function appeals(retry: () => boolean | Promise<boolean>, gate: readonly Gate[] = []) {
  const heard: { event: string; id: string; input: unknown; cwd: string; reason?: string; agent?: string }[] = []
  const said = [...gate]
  const before: HookCallback = async (input) => {
    if (input.hook_event_name !== 'PreToolUse') return {}
    heard.push({ event: 'PreToolUse', id: input.tool_use_id, input: input.tool_input, cwd: input.cwd })
    const decision = said.shift() ?? 'none'
    const updatedInput = input.tool_input as Record<string, unknown>
    if (decision === 'none') return {}
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision, updatedInput } }
  }
  const denied: HookCallback = async (input) => {
    if (input.hook_event_name !== 'PermissionDenied') return {}
    const { hook_event_name: event, tool_use_id: id, tool_input: given, cwd, reason, agent_id: agent } = input
    heard.push({ event, id, input: given, cwd, reason, ...(agent !== undefined && { agent }) })
    return (await retry()) ? { hookSpecificOutput: { hookEventName: 'PermissionDenied', retry: true } } : {}
  }
  const hooks: Options['hooks'] = {
    PreToolUse: [{ hooks: [before], timeout: 2_592_000, onFailure: 'block' }],
    PermissionDenied: [{ hooks: [denied], timeout: 2_592_000 }],
  }
  const options: Options = { ...launch, permissionMode: 'auto', hooks }
  return { heard, events: () => heard.map(({ event }) => event), options }
}

const told = (claude: RealClaude) => JSON.stringify(claude.model.requests.at(-1)?.messages)
const start = (list: readonly Step[], options: Options) => startRealClaude({ script: steps(list), options })

describe.concurrent('what auto mode refuses', () => {
  test('is told to the PermissionDenied hook, with the reason, the folder and the input of the call', async () => {
    const { heard, options } = appeals(() => false)
    await using claude = await start([make], options)
    await claude.result()
    const [before] = heard
    expect(heard).toEqual([before, { ...before, event: 'PermissionDenied', reason: REASON }])
    expect(verdicts(claude)).toEqual(['unasked, blocked'])
    expect(told(claude)).toContain(REASON)
    expect(told(claude)).not.toContain(RETRY)
  })

  test('may be tried again after `retry`: the same input then runs by the yes of the gate alone', async () => {
    const { heard, events, options } = appeals(() => true, ['none', 'allow'])
    await using claude = await start([make, make], options)
    await claude.result()
    expect(events()).toEqual(['PreToolUse', 'PermissionDenied', 'PreToolUse'])
    expect(heard[2]).toMatchObject({ input: heard[1]?.input, cwd: heard[1]?.cwd })
    expect(heard[2]?.id).not.toBe(heard[1]?.id)
    expect(told(claude)).toContain(RETRY)
    expect(claude.asks).toEqual([])
    expect(await claude.files()).toEqual(['made'])
  })

  test('is refused again when the gate says nothing, whatever the hook said', async () => {
    const { events, options } = appeals(() => true)
    await using claude = await start([make, make], options)
    await claude.result()
    expect(events()).toEqual(['PreToolUse', 'PermissionDenied', 'PreToolUse', 'PermissionDenied'])
    expect(await claude.files()).toEqual([])
  })

  test('waits with its hook, until an interrupt takes that back', async () => {
    const person = held<boolean>()
    const { events, options } = appeals(() => person.answer)
    await using claude = await start([make], options)
    await until(() => events().length === 2, 'the refusal')
    await claude.query.interrupt()
    const isDenied = (line: object) => JSON.stringify(line).includes('"hook_event_name":"PermissionDenied"')
    const { request_id: requestId } = claude.lines.find(isDenied) ?? {}
    await claude.until(
      () => claude.lines.find(({ type, request_id: id }) => type === 'control_cancel_request' && id === requestId),
      'the cancel',
    )
    person.give(true)
    await claude.result()
    expect(await claude.files()).toEqual([])
  })

  test('is told of subagents, with their id', async () => {
    const { heard, options } = appeals(() => false)
    await using claude = await startRealClaude({
      script: passed(subagents([{ prompt: 'make it', steps: [make] }])),
      options,
    })
    await claude.result()
    const refused = heard.find(({ event }) => event === 'PermissionDenied')
    expect(refused).toMatchObject({ reason: REASON, agent: expect.any(String) })
  })

  test('waits on while the gateway is replaced, if the next one brings no hooks and the line is replayed', async () => {
    await using agent = detachable({ dropsHooks: true })
    const first = appeals(never)
    const second = appeals(() => true)
    await using before = await start([make], { ...first.options, spawnClaudeCodeProcess: agent.spawn })
    await until(() => first.heard.length === 2, 'the refusal')
    agent.cut()
    await using after = await startRealClaude({
      script: steps([]),
      folders: before,
      prompt: null,
      options: { ...second.options, spawnClaudeCodeProcess: agent.spawn },
    })
    await after.query.initializationResult()
    const line = agent.lines.find((made) => JSON.stringify(made).includes('"hook_event_name":"PermissionDenied"'))
    agent.replay(line ?? {})
    await after.result()
    expect(second.heard).toEqual([first.heard[1]])
    expect(told(before)).toContain(RETRY)
    after.endInput()
    await agent.gone()
  })
})

describe.concurrent('the PermissionDenied hook is told nothing', () => {
  test('of what our own gate refuses', async () => {
    const { events, options } = appeals(() => true, ['deny'])
    await using claude = await start([make], options)
    await claude.result()
    expect(events()).toEqual(['PreToolUse'])
    expect(await claude.files()).toEqual([])
  })

  test.each(['default', 'acceptEdits', 'dontAsk'] as const)('of refusals in %s', async (permissionMode) => {
    const { events, options } = appeals(() => true)
    await using claude = await startRealClaude({
      script: steps([make, touch('ruled')]),
      answer: () => ({ behavior: 'deny', message: 'no' }),
      options: { ...options, permissionMode, settings: { permissions: { deny: ['Bash(touch ruled)'] } } },
    })
    await claude.result()
    expect(events()).toEqual(['PreToolUse', 'PreToolUse'])
    expect(await claude.files()).toEqual([])
  })
})

test('in plan mode the hook is told too, and the gate’s yes to the repeated call is not heard', async () => {
  const { events, options } = appeals(() => true, ['none', 'allow'])
  await using claude = await start([make, make], { ...options, permissionMode: 'plan' })
  await claude.result()
  expect(events()).toEqual(['PreToolUse', 'PermissionDenied', 'PreToolUse', 'PermissionDenied'])
  expect(await claude.files()).toEqual([])
})

test('in plan mode a call that the check does not object to runs unasked, unless the gate says no', async () => {
  const { events, options } = appeals(() => false, ['none', 'deny'])
  const list = ['made', 'refused'].map((name) => ({ ...touch(name), flagged: false }) as const)
  await using claude = await start(list, { ...options, permissionMode: 'plan' })
  await claude.result()
  expect(events()).toEqual(['PreToolUse', 'PreToolUse'])
  expect(claude.asks).toEqual([])
  expect(await claude.files()).toEqual(['made'])
})
