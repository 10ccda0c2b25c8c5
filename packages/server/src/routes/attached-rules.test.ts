import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startFakeTerminal } from '@holdpoint/testing/terminal/fake-terminal'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

const bash = (command: string, more: object = {}) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: `toolu_${command.replaceAll(' ', '_')}`,
  permission_mode: 'default',
  ...more,
})

async function startWorld({ others = false } = {}) {
  const root = await mkdtemp(join(tmpdir(), 'hp-ruled-'))
  const [config, cwd, dataDir] = [join(root, 'claude'), join(root, 'project'), join(root, 'data')]
  await Promise.all([mkdir(cwd), mkdir(dataDir), mkdir(config)])
  const store = createMemoryStore()
  const deps = { records: store.records, clock: systemClock, warn: () => {}, mayOthersAnswer: async () => others }
  const gateway = await startTestGateway({
    store,
    dataDir,
    terminals: { attached: createAttachedAgents(deps), projects: join(config, 'projects') },
  })
  const terminal = await startFakeTerminal({ config, cwd, dataDir })
  const rule = async (effect: string, pattern: string) => {
    const made = { effect, agent: 'claude', pattern, scope: { kind: 'everywhere' } }
    return gateway.api.ok<{ id: string }>('POST', '/api/policy/rules', made)
  }
  return {
    gateway,
    terminal,
    rule,
    before: async (fields: object, call: Parameters<typeof terminal.hook>[2] = {}) =>
      said(await terminal.hook('PreToolUse', fields, call)),
    ask: () => until(async () => (await gateway.api.openAsks())[0], 'an ask'),
    session: () =>
      until(
        async () => (await gateway.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions[0],
        'a session',
      ),
    settled: async () => (await gateway.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=settled')).asks,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]()
      await gateway[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** What the hook prints, in short. */
function said({ status, body }: { status: number; body: unknown }) {
  expect(status).toBe(200)
  const { hookSpecificOutput: output } = body as { hookSpecificOutput?: Record<string, unknown> }
  if (!output) return body
  expect(output.hookEventName).toBe('PreToolUse')
  const { permissionDecision: decision, permissionDecisionReason: reason, updatedInput } = output
  return { decision, reason, ...(updatedInput !== undefined && { updatedInput }) }
}

describe('the hook before a call', () => {
  it('has no opinion where no rule is about the call, and on questions and plans', async () => {
    await using world = await startWorld()
    await world.rule('deny', 'Bash(rm *)')
    expect(await world.before(bash('ls'))).toEqual({})
    expect(await world.before({ tool_name: 'AskUserQuestion', tool_input: {} })).toEqual({})
    expect(await world.settled()).toEqual([])
  })

  it('says what a rule says, which is on record by then', async () => {
    await using world = await startWorld()
    await world.rule('deny', 'Bash(touch no)')
    await world.rule('allow', 'Bash(touch yes)')
    await world.rule('ask', 'Bash(touch maybe)')
    expect(await world.before(bash('touch no'))).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('Bash(touch no)'),
    })
    expect(await world.before(bash('touch yes'))).toMatchObject({
      decision: 'allow',
      updatedInput: { command: 'touch yes' },
    })
    expect(await world.before(bash('touch maybe'))).toMatchObject({ decision: 'ask' })
    const asks = (await world.settled()).map(({ tool, outcome }) => [tool?.input.command, outcome?.kind, outcome?.via])
    expect(asks.sort()).toEqual([
      ['touch no', 'denied', 'rule'],
      ['touch yes', 'allowed', 'rule'],
    ])
    // Where a person is asked in the terminal's dialog, the permission request brings it.
    expect(await world.gateway.api.openAsks()).toEqual([])
  })

  it('T65 waits for the person itself in bypassPermissions, and where others could answer', async () => {
    for (const [others, mode] of [
      [false, 'bypassPermissions'],
      [true, 'default'],
    ] as const) {
      await using world = await startWorld({ others })
      await world.rule('ask', 'Bash(touch maybe)')
      const saying = world.before(bash('touch maybe', { permission_mode: mode }))
      const ask = await world.ask()
      await world.gateway.api.answer(ask, { kind: 'allow', updatedInput: { command: 'touch edited' } })
      expect(await saying).toMatchObject({ decision: 'allow', updatedInput: { command: 'touch edited' } })
      const stopped = world.before(bash('touch maybe', { permission_mode: mode }))
      await world.gateway.api.answer(await world.ask(), { kind: 'deny', message: 'Not now.', interrupt: true })
      expect(await stopped).toMatchObject({ decision: 'deny', reason: expect.stringMatching(/^Not now\. Stop here/) })
    }
  })

  it('I5 gives the same hook the recorded answer again, also when its rule is gone, and no other call', async () => {
    await using world = await startWorld()
    const { id } = await world.rule('deny', 'Bash(touch no)')
    const requestId = 'the-same-request'
    expect(await world.before(bash('touch no'), { requestId })).toMatchObject({ decision: 'deny' })
    await world.gateway.api.call('DELETE', `/api/policy/rules/${id}`)
    expect(await world.before(bash('touch no'), { requestId })).toMatchObject({ decision: 'deny' })
    expect(await world.before(bash('touch other'), { requestId })).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('another call'),
    })
    expect(await world.settled()).toHaveLength(1)
  })

  it('in plan mode says ask after a yes, which the permission request of that call gets, once', async () => {
    await using world = await startWorld()
    await world.rule('allow', 'Bash(touch yes)')
    const call = bash('touch yes', { permission_mode: 'plan' })
    expect(await world.before(call)).toMatchObject({ decision: 'ask' })
    const { body } = await world.terminal.hook('PermissionRequest', call)
    expect(body.hookSpecificOutput?.decision).toEqual({ behavior: 'allow', updatedInput: { command: 'touch yes' } })
    const second = world.terminal.hook('PermissionRequest', call)
    const ask = await world.ask()
    expect(ask.askedBecause?.reason).toContain('requires a person')
    await world.gateway.api.answer(ask, { kind: 'deny' })
    expect((await second).body.hookSpecificOutput?.decision).toMatchObject({ behavior: 'deny' })
  })

  it('T21 raises the alarm when something else ran than a rule allowed, and then allows nothing more', async () => {
    await using world = await startWorld()
    await world.rule('allow', 'Bash(touch yes)')
    const call = bash('touch yes')
    await world.before(call)
    await world.terminal.hook('PostToolUse', { ...call, tool_input: { command: 'touch other' }, tool_response: {} })
    await until(async () => (await world.session()).frozen, 'the alarm')
    expect(await world.before(bash('touch yes'))).toMatchObject({ decision: 'deny' })
  })

  it('T40 raises the alarm when a call runs that a rule has denied', async () => {
    await using world = await startWorld()
    await world.rule('deny', 'Bash(touch no)')
    await world.before(bash('touch no'))
    await world.terminal.hook('PostToolUse', { ...bash('touch no'), tool_response: {} })
    await until(async () => (await world.session()).frozen, 'the alarm')
  })

  it('withdraws its ask when the call is given up at the terminal', async () => {
    await using world = await startWorld()
    await world.rule('ask', 'Bash(touch maybe)')
    const toolUseId = await world.terminal.call('Bash', { command: 'touch maybe' })
    const call = bash('touch maybe', { permission_mode: 'bypassPermissions', tool_use_id: toolUseId })
    const gone = new AbortController()
    const saying = world.before(call, { signal: gone.signal }).catch(() => 'gone')
    const ask = await world.ask()
    expect(ask.toolUseId).toBe(toolUseId)
    gone.abort()
    await saying
    await world.terminal.result(toolUseId, { toolUseResult: 'User rejected tool use' })
    const outcome = await until(
      async () => (await world.gateway.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome,
      'an outcome',
    )
    expect(outcome).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
  })
})
