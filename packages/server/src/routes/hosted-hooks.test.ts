import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AttachedAgents, createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import type { HookReply } from '@holdpoint/agents/claude/attached/hook-call'
import type { TerminalHooks } from '@holdpoint/agents/claude/attached/terminal-hooks'
import { runningProcess } from '@holdpoint/agents/processes/processes'
import type { AgentDriver, AgentEnd } from '@holdpoint/core/driver'
import type { Ask } from '@holdpoint/schema/ask'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { type FakeTerminal, startFakeTerminal } from '@holdpoint/testing/terminal/fake-terminal'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

const BASH = { tool_name: 'Bash', tool_input: { command: 'make it' } }

/** A gateway that holds one terminal: this very process, below which fake Claude Codes run. */
async function startWorld() {
  const root = await mkdtemp(join(tmpdir(), 'hp-hosted-hooks-'))
  const [config, cwd, dataDir] = [join(root, 'claude'), join(root, 'project'), join(root, 'data')]
  await Promise.all([mkdir(cwd), mkdir(dataDir), mkdir(config)])
  const store = createMemoryStore()
  const conversations: string[] = []
  const onScreen = new Set<string>()
  const opened: FakeTerminal[] = []
  let holding: Promise<void> = Promise.resolve()
  let hooks: TerminalHooks | undefined
  let finish = (_end: AgentEnd | 'detached') => {}

  const driver = (attached: AttachedAgents): AgentDriver => ({
    agent: 'terminal',
    isTyped: true,
    async start(start) {
      await holding
      hooks = attached.host({
        start,
        pid: process.pid,
        open: start.attach?.open ?? [],
        onConversation: ({ vendorSessionId }) => conversations.push(vendorSessionId),
        readThread: async () => {},
        isAsked: ({ toolUseId }) => toolUseId !== undefined && onScreen.has(toolUseId),
      })
      await start.emit([{ type: 'turn-started' }])
      const done = new Promise<AgentEnd | 'detached'>((resolve) => {
        finish = resolve
      })
      const close = async (how: 'ended' | 'detached') => hooks?.close(how)
      return {
        recheck: async (ask) => hooks?.recheck(ask),
        stop: async () => close('ended').then(() => finish({ reason: 'stopped' })),
        detach: async () => close('detached').then(() => finish('detached')),
        done,
      }
    },
  })
  let attached: AttachedAgents
  const start = async () => {
    attached = createAttachedAgents({ records: store.records, clock: systemClock, warn: () => {} })
    const terminals = { attached, projects: join(config, 'projects') }
    return startTestGateway({ store, dataDir, terminals, drivers: () => [driver(attached)] })
  }
  let world: TestGateway = await start()
  const ids = { cwd, permissionMode: 'default', gate: 'default', onTimeout: 'deny', trusted: false } as const
  const hosted = await world.gateway.sessions.start({ agent: 'terminal', ...ids })
  if (!hosted.ok) throw new Error(hosted.refusal)
  const { id } = hosted.value
  await until(() => hooks, 'the terminal')

  return {
    id,
    conversations,
    onScreen,
    get api() {
      return world.api
    },
    get hooks() {
      if (!hooks) throw new Error('no terminal')
      return hooks
    },
    async claude(conversation?: string) {
      const terminal = await startFakeTerminal({
        config,
        cwd,
        dataDir,
        ...(conversation !== undefined && { id: conversation }),
      })
      opened.push(terminal)
      const startedAt = Number((await runningProcess(terminal.pid))?.startTime)
      const hook = (event: string, fields: object = {}, call: { requestId?: string; signal?: AbortSignal } = {}) => {
        const { requestId = randomUUID(), signal = new AbortController().signal } = call
        const common = { session_id: terminal.id, transcript_path: terminal.transcript, cwd, hook_event_name: event }
        const given = { requestId, hook: { ...common, ...fields }, process: { pid: terminal.pid, startedAt } }
        const reply = attached.hook(given, signal)
        // Those that still wait when the world ends are told so.
        reply.catch(() => {})
        return reply
      }
      return { ...terminal, hook }
    },
    async sessions(): Promise<Session[]> {
      return (await world.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')).sessions
    },
    async session(): Promise<Session> {
      return world.api.ok<Session>('GET', `/api/sessions/${id}`)
    },
    ask: (fits: (ask: Ask) => boolean = () => true) =>
      until(async () => (await world.api.openAsks()).find(fits), 'an ask'),
    settled: (askId: string) =>
      until(async () => (await world.api.ok<Ask>('GET', `/api/asks/${askId}`)).outcome, 'an outcome'),
    items: async () => (await world.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items?limit=500`)).items,
    async restart(options: { late?: Promise<void> } = {}) {
      await world.gateway.close()
      hooks = undefined
      holding = options.late ?? Promise.resolve()
      world = await start()
    },
    async [Symbol.asyncDispose]() {
      await world.gateway.close()
      for (const terminal of opened) await terminal[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
type World = Awaited<ReturnType<typeof startWorld>>

const decision = ({ output }: HookReply) =>
  (output as { hookSpecificOutput?: { decision?: unknown } } | undefined)?.hookSpecificOutput?.decision

/** A Claude Code in the terminal, with its dialog open. */
async function asking(world: World) {
  const claude = await world.claude()
  await claude.hook('SessionStart', { source: 'startup' })
  const toolUseId = await claude.call('Bash', { command: 'make it' })
  await claude.status('waiting')
  const requestId = randomUUID()
  const reply = claude.hook('PermissionRequest', BASH, { requestId })
  const ask = await world.ask()
  const call = { toolUseId, name: 'Bash', input: { command: 'make it' } }
  return { claude, toolUseId, requestId, reply, ask, call }
}

describe('Claude Code in a terminal of the gateway’s own', () => {
  it('has no session besides it: its asks are asks of the terminal, and its hooks answer them', async () => {
    await using world = await startWorld()
    const { claude, toolUseId, reply, ask } = await asking(world)
    expect(ask).toMatchObject({ sessionId: world.id, agent: 'terminal', toolUseId })
    await world.api.answer(ask, { kind: 'allow', updatedInput: { command: 'make that' } })
    expect(decision(await reply)).toEqual({ behavior: 'allow', updatedInput: { command: 'make that' } })
    await claude.taken(toolUseId, 'allow')
    await claude.hook('UserPromptSubmit', { prompt: 'go on' })
    await claude.hook('Stop')
    // Neither its name nor whether it is at work is for a conversation to say.
    expect(await world.sessions()).toMatchObject([{ id: world.id, state: 'assistant_turn', title: 'project' }])
    // The terminal writes its thread itself.
    expect((await world.items()).map(({ type }) => type)).toEqual(['ask'])
    expect(world.conversations).toEqual([claude.id])
  })

  it('is one that runs elsewhere when it is not below it, or below another Claude Code', async () => {
    await using world = await startWorld()
    const { claude } = await asking(world)
    expect(world.hooks.owns([claude.pid + 1, process.pid, 7])).toBe(true)
    expect(world.hooks.owns([claude.pid + 1, claude.pid, process.pid, 7])).toBe(false)
    expect(world.hooks.owns([claude.pid + 1, 7])).toBe(false)
  })

  it('[I3] finds its ask again when the gateway was gone, and is answered through the same request', async () => {
    await using world = await startWorld()
    const { claude, requestId, reply, ask } = await asking(world)
    let taken = () => {}
    const late = new Promise<void>((resolve) => {
      taken = resolve
    })
    await world.restart({ late })
    await expect(reply).rejects.toMatchObject({ code: 'detached' })
    // It comes before the terminal has been taken up, and is not taken for somebody else's.
    const again = claude.hook('PermissionRequest', BASH, { requestId })
    taken()
    await until(async () => (await world.api.answer(ask, { kind: 'allow' })).status === 200, 'the answer')
    expect(decision(await again)).toMatchObject({ behavior: 'allow' })
    expect(await world.sessions()).toHaveLength(1)
    expect(await world.session()).toMatchObject({ openAsks: 0, epoch: 1 })
  })

  it('refuses an answer to an ask whose hook has not come back, and withdraws it when its process is gone', async () => {
    await using world = await startWorld()
    const { claude, ask } = await asking(world)
    await world.restart()
    const early = await world.api.answer(ask, { kind: 'allow' })
    expect(early).toMatchObject({ status: 409, body: { error: { code: 'changed' } } })
    await claude.kill()
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'withdrawn' })
    expect(await world.session()).toMatchObject({ state: 'assistant_turn', openAsks: 0 })
  })

  it('takes its asks with it when it goes, and the terminal stays', async () => {
    await using world = await startWorld()
    const { claude, reply, ask } = await asking(world)
    await claude.kill()
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    expect(await reply).toEqual({})
    const next = await world.claude()
    await next.hook('SessionStart', { source: 'startup' })
    void next.hook('PermissionRequest', BASH)
    expect(await world.ask()).toMatchObject({ sessionId: world.id })
    expect(world.conversations).toEqual([claude.id, next.id])
    expect(await world.sessions()).toHaveLength(1)
  })

  it('ends with the terminal, whose end says why its asks are withdrawn', async () => {
    await using world = await startWorld()
    const { reply, ask } = await asking(world)
    await world.api.ok('DELETE', `/api/sessions/${world.id}`)
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'withdrawn', reason: 'session-ended' })
    expect(await reply).toEqual({})
    expect(await world.sessions()).toMatchObject([{ id: world.id, state: 'dead' }])
  })

  it('goes on to another conversation after /clear, and what comes late of the first is passed over', async () => {
    await using world = await startWorld()
    const claude = await world.claude()
    await claude.hook('SessionStart', { source: 'startup' })
    await claude.hook('SessionEnd', { reason: 'clear' })
    const second = randomUUID()
    const fields = { session_id: second, transcript_path: claude.transcript.replace(claude.id, second) }
    await claude.status('idle', { sessionId: second })
    await claude.hook('SessionStart', { source: 'clear', ...fields })
    await claude.hook('PostToolUse', { ...BASH, tool_use_id: 'toolu_x' })
    void claude.hook('PermissionRequest', { ...BASH, ...fields })
    expect(await world.ask()).toMatchObject({ sessionId: world.id })
    expect(world.conversations).toEqual([claude.id, second])
  })

  it('has two conversations side by side, and over a restart each keeps its own ask', async () => {
    await using world = await startWorld()
    const { requestId, ask, claude } = await asking(world)
    const other = await world.claude()
    await other.hook('SessionStart', { source: 'startup' })
    await until(() => world.conversations.includes(other.id), 'the other one')
    await world.restart()
    // The one that is on record shows no dialog: that says nothing about the other's.
    const again = claude.hook('PermissionRequest', BASH, { requestId })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(await world.api.openAsks()).toMatchObject([{ id: ask.id }])
    expect(await world.api.answer(ask, { kind: 'allow' })).toMatchObject({ status: 200 })
    expect(decision(await again)).toMatchObject({ behavior: 'allow' })
  })
})

describe('hooks and screen, of one dialog', () => {
  it('[I1] [I2] are never both: what a hook holds is not for the screen, and what the screen has is not for a hook', async () => {
    await using world = await startWorld()
    const { claude, call, ask } = await asking(world)
    expect(world.hooks.leavesToScreen(call, 0)).toBe(false)
    // I2: whatever that dialog looks like, it is not the dialog of another call.
    const other = { toolUseId: 'toolu_other', name: 'Bash', input: { command: 'touch harmless.txt' } }
    expect(world.hooks.leavesToScreen(other, 0)).toBe(false)
    await world.api.answer(ask, { kind: 'allow' })
    expect(world.hooks.leavesToScreen(other, 0)).toBe(true)
    expect(world.hooks.leavesToScreen(call, Date.now())).toBe(false)
    const next = await claude.call('Bash', { command: 'then this' })
    world.onScreen.add(next)
    const request = { tool_name: 'Bash', tool_input: { command: 'then this' } }
    expect(await claude.hook('PermissionRequest', request)).toEqual({})
    expect(await world.api.openAsks()).toEqual([])
  })

  it('leaves it to the screen where a hook has let go, and where none has come for a while', async () => {
    await using world = await startWorld()
    const claude = await world.claude()
    const call = { toolUseId: 'toolu_1', name: 'Bash', input: { command: 'make it' } }
    // Nothing was heard of hooks in this terminal.
    expect(world.hooks.leavesToScreen(call, Date.now())).toBe(true)
    await claude.hook('SessionStart', { source: 'startup' })
    await until(() => world.hooks.isHeard(), 'the hook')
    expect(world.hooks.leavesToScreen(call, Date.now())).toBe(false)
    expect(world.hooks.leavesToScreen(call, Date.now() - 6000)).toBe(true)
    // Refused: no person can be shown it.
    const huge = { file_path: 'x', content: 'x'.repeat(2_100_000) }
    const toolUseId = await claude.call('Write', huge)
    expect(await claude.hook('PermissionRequest', { tool_name: 'Write', tool_input: huge })).toEqual({})
    await until(() => world.hooks.leavesToScreen({ toolUseId, name: 'Write', input: huge }, Date.now()), 'it')
  })
})
