import { spawn } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whatChanged } from '@holdpoint/agents/claude/asks/what-changed'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { hookCredential, readToken } from '@holdpoint/agents/claude/hooks/hook-access'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { DurableEvent } from '@holdpoint/schema/event'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openEventSource } from '@holdpoint/testing/event-source'
import { LONG, report } from '@holdpoint/testing/long'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startFakeTerminal } from '@holdpoint/testing/terminal/fake-terminal'
import { callHooks } from '@holdpoint/testing/terminal/hook-client'
import { SPELLINGS } from '@holdpoint/testing/terminal/typed-spellings'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

const STOP = {
  query: { pid: String(process.pid), parent: String(process.pid) },
  body: { session_id: 'x', hook_event_name: 'Stop', cwd: '/' },
}
const BASH = { tool_name: 'Bash', tool_input: { command: 'make it' } }

const sha256 = (text: string) => hash('sha256', text, 'hex')

/** A gateway with what a terminal on its machine has: a folder of Claude Code's, and the file that hooks read. */
async function startWorld(more: Parameters<typeof startTestGateway>[0] = {}) {
  const root = await mkdtemp(join(tmpdir(), 'hp-terminals-'))
  const [config, cwd, dataDir] = [join(root, 'claude'), join(root, 'project'), join(root, 'data')]
  await Promise.all([mkdir(cwd), mkdir(dataDir), mkdir(config)])
  const store = createMemoryStore()
  const start = () => {
    const attached = createAttachedAgents({ records: store.records, clock: systemClock, warn: () => {} })
    return startTestGateway({ ...more, store, dataDir, terminals: { attached, projects: join(config, 'projects') } })
  }
  let world: TestGateway = await start()
  const opened: AsyncDisposable[] = []
  return {
    root,
    cwd,
    dataDir,
    get gateway() {
      return world
    },
    get api() {
      return world.api
    },
    async terminal(more: { id?: string; entrypoint?: string } = {}) {
      const terminal = await startFakeTerminal({ config, cwd, dataDir, ...more })
      opened.push(terminal)
      return terminal
    },
    async sessions(): Promise<Session[]> {
      const { sessions } = await world.api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
      return sessions.filter(({ attached }) => attached)
    },
    session(fits: (session: Session) => boolean = () => true): Promise<Session> {
      return until(async () => (await this.sessions()).find(fits), 'a session')
    },
    ask: () => until(async () => (await world.api.openAsks())[0], 'an ask'),
    settled: (id: string) =>
      until(async () => (await world.api.ok<Ask>('GET', `/api/asks/${id}`)).outcome, 'an outcome'),
    async items(session: Session): Promise<Item[]> {
      return (await world.api.ok<{ items: Item[] }>('GET', `/api/sessions/${session.id}/items?limit=500`)).items
    },
    async events(type: DurableEvent['type']): Promise<DurableEvent[]> {
      const stored = await store.events({ after: 0, limit: 10_000 })
      return stored.map(({ event }) => event).filter((event) => event.type === type)
    },
    async restart(between: () => Promise<void> = async () => {}) {
      await world.gateway.close()
      await between()
      world = await start()
    },
    async [Symbol.asyncDispose]() {
      await world.gateway.close()
      for (const terminal of opened) await terminal[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

describe.concurrent('the life of a session in a terminal', () => {
  it('follows its hooks: begun, named by the first prompt, at work, waiting, ended', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    expect((await terminal.hook('SessionStart', { source: 'startup', model: 'model-x' })).status).toBe(204)
    const begun = await world.session(({ state, model }) => state === 'user_turn' && model === 'model-x')
    expect(begun).toMatchObject({ attached: true, cwd: world.cwd, vendorSessionId: terminal.id, epoch: 1 })
    await terminal.hook('UserPromptSubmit', { prompt: 'Tidy up\nplease', permission_mode: 'acceptEdits' })
    await world.session(({ state, title }) => state === 'assistant_turn' && title === 'Tidy up')
    await terminal.hook('Stop', {})
    await world.session(({ state, permissionMode }) => state === 'user_turn' && permissionMode === 'acceptEdits')
    await terminal.hook('SessionEnd', { reason: 'prompt_input_exit' })
    const ended = await world.session(({ state }) => state === 'dead')
    expect(ended).toMatchObject({ id: begun.id, endReason: 'ended-at-terminal' })
    // What comes late from it brings nothing back.
    await terminal.hook('PostToolUse', { ...BASH, tool_use_id: 'toolu_x' })
    expect(await world.sessions()).toMatchObject([{ id: begun.id, state: 'dead', epoch: 1 }])
  })

  it('is the same session in the next process, and another one after it was cleared', async () => {
    await using world = await startWorld()
    const first = await world.terminal()
    await first.hook('SessionStart', { source: 'startup' })
    const session = await world.session()
    await first.kill()
    await world.session(({ state, endReason }) => state === 'dead' && endReason === 'agent-exited')
    const second = await world.terminal({ id: first.id })
    await second.hook('SessionStart', { source: 'resume' })
    expect(await world.session(({ state }) => state === 'user_turn')).toMatchObject({ id: session.id, epoch: 2 })
    await second.hook('SessionEnd', { reason: 'clear' })
    expect(await world.session(({ state }) => state === 'dead')).toMatchObject({ endReason: 'cleared-at-terminal' })
    await second.hook('SessionStart', { source: 'clear', session_id: randomUUID(), transcript_path: undefined })
    await until(async () => (await world.sessions()).length === 2, 'another session')
  })

  it('has its words from the transcript, each once, also over a restart of the gateway', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    const say = (text: string) => terminal.write({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
    await terminal.hook('SessionStart', { source: 'startup' })
    const session = await world.session()
    await terminal.write({ type: 'user', message: { content: 'Begin' } })
    await say('one')
    const texts = async () =>
      (await world.items(session)).flatMap((item) => (item.type === 'message' ? [item.text] : []))
    await until(async () => (await texts()).length === 2, 'the first words')
    await world.restart(() => say('two'))
    await say('three')
    await until(async () => (await texts()).includes('three'), 'the last words')
    expect(await texts()).toEqual(['Begin', 'one', 'two', 'three'])
    expect(await world.sessions()).toMatchObject([{ id: session.id, state: 'user_turn', epoch: 1 }])
  })

  it('goes by what Claude Code notes of itself where no hook tells, as when it is interrupted', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    await terminal.hook('UserPromptSubmit', { prompt: 'go' })
    await terminal.status('busy')
    await world.session(({ state }) => state === 'assistant_turn')
    await terminal.status('idle')
    await world.session(({ state }) => state === 'user_turn')
  })

  it('tells a stream of its turn the last result and words before that it is done', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    await terminal.hook('UserPromptSubmit', { prompt: 'go' })
    await terminal.status('busy')
    const session = await world.session(({ state }) => state === 'assistant_turn')
    const { url } = world.gateway.gateway
    const stream = await openEventSource(`${url}/api/sessions/${session.id}/stream`, {
      authorization: `Bearer ${TEST_TOKEN}`,
    })
    await terminal.write({ type: 'user', message: { content: 'go' } })
    const toolUseId = await terminal.call('Bash', { command: 'make it' })
    await until(() => stream.text().includes('tool_call_end'), 'the call')
    // The hook is faster than what it is about is written down.
    await terminal.hook('Stop')
    await terminal.status('idle')
    await terminal.result(toolUseId, {}, 'the result')
    await terminal.write({ type: 'assistant', message: { content: [{ type: 'text', text: 'All done here.' }] } })
    await until(() => stream.text().includes('"done"'), 'the end of the turn')
    const types = [...stream.text().matchAll(/"type":"(tool_result|text_delta|done)"/g)].map(([, type]) => type)
    expect(types).toEqual(['tool_result', 'text_delta', 'done'])
    stream.close()
  })

  it('may be waiting where a dialog is on its screen of which no hook has spoken, and says so', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    await terminal.hook('UserPromptSubmit', { prompt: 'go' })
    await terminal.status('waiting')
    await world.session(({ mayWait }) => mayWait === true)
    const reply = terminal.hook('PermissionRequest', BASH)
    const ask = await world.ask()
    await world.session(({ mayWait }) => mayWait === false)
    await world.api.answer(ask, { kind: 'deny' })
    await reply
  })

  it('is not made of an agent that a program drives: that one is asked itself', async () => {
    await using world = await startWorld()
    const driven = await world.terminal({ entrypoint: 'sdk-ts' })
    expect((await driven.hook('SessionStart', { source: 'startup' })).status).toBe(204)
    expect((await driven.hook('PermissionRequest', BASH)).status).toBe(204)
    expect(await world.sessions()).toEqual([])
  })

  it('cannot be written to, interrupted, ended or started from here', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    await terminal.hook('SessionStart', { source: 'startup' })
    const { id } = await world.session()
    const refused = async (method: string, path: string, body?: object) =>
      (await world.api.call(method, path, body)).status
    expect(await refused('POST', `/api/sessions/${id}/messages`, { text: 'hello' })).toBe(422)
    expect(await refused('POST', `/api/sessions/${id}/interrupt`)).toBe(422)
    expect(await refused('POST', `/api/sessions/${id}/mode`, { permissionMode: 'plan' })).toBe(422)
    expect(await refused('DELETE', `/api/sessions/${id}`)).toBe(422)
    expect(await refused('POST', '/api/sessions', { agent: 'attached', cwd: world.cwd })).toBe(422)
    await terminal.hook('SessionEnd', { reason: 'other' })
    await world.session(({ state }) => state === 'dead')
    expect(await refused('POST', '/api/sessions', { resume: id })).toBe(422)
    expect((await world.api.ok<{ agents: string[] }>('GET', '/api/me')).agents).not.toContain('attached')
  })
})

describe.concurrent('an ask of a terminal', () => {
  async function asking(fields: object = BASH) {
    const world = await startWorld()
    const terminal = await world.terminal()
    await terminal.hook('UserPromptSubmit', { prompt: 'go' })
    const toolUseId = await terminal.call('Bash', { command: 'make it' })
    await terminal.status('waiting')
    const requestId = randomUUID()
    const reply = terminal.hook('PermissionRequest', fields, { requestId })
    const ask = await world.ask()
    return { world, terminal, toolUseId, requestId, reply, ask }
  }

  it('T68 is answered by a yes or no to /api/pty-input while it is the only one; nothing else is, and nothing typed', async () => {
    const { world, terminal, reply, ask } = await asking()
    await using _ = world
    const type = (input: string) => world.api.call('POST', '/api/pty-input', { sessionID: ask.sessionId, input })
    for (const { input, means } of SPELLINGS) if (!means) expect(await type(input)).toMatchObject({ status: 409 })
    const second = terminal.hook('PermissionRequest', { tool_name: 'Bash', tool_input: { command: 'another' } })
    const other = await until(async () => (await world.api.openAsks()).find(({ id }) => id !== ask.id), 'another ask')
    for (const { input } of SPELLINGS) expect(await type(input)).toMatchObject({ status: 409 })
    await world.api.answer(other, { kind: 'allow' })
    await second
    await until(async () => (await type('n\r')).status === 202, 'the no to be taken')
    expect((await reply).body.hookSpecificOutput?.decision).toMatchObject({ behavior: 'deny' })
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'denied', via: 'pty-input' })
    // Nothing is left that it could answer, and there is no terminal here to type into.
    expect(await type('n\r')).toMatchObject({ status: 404 })
  })

  it('is answered here, and counts as delivered when Claude Code has taken it, not before', async () => {
    const { world, terminal, toolUseId, requestId, reply, ask } = await asking({
      ...BASH,
      permission_suggestions: [{ type: 'setMode', mode: 'acceptEdits' }],
    })
    await using _ = world
    expect(ask.requestId).toContain(requestId)
    expect(ask).toMatchObject({ toolUseId, agent: 'attached', title: 'Bash: make it', suggestions: [{}] })
    await world.api.answer(ask, { kind: 'allow', updatedInput: { command: 'make that' } })
    expect((await reply).body.hookSpecificOutput?.decision).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'make that' },
    })
    expect(await world.events('ask-delivered')).toEqual([])
    await terminal.taken(toolUseId, 'allow')
    await until(async () => (await world.events('ask-delivered')).length === 1, 'the delivery')
    await terminal.hook('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: 'make that' },
      tool_use_id: toolUseId,
    })
    await terminal.result(toolUseId, { permissionDecision: { source: 'hook' } })
    await terminal.status('idle')
    await terminal.hook('Stop')
    expect(await world.session(({ state }) => state === 'user_turn')).not.toHaveProperty('frozen')
    expect(await world.events('ask-delivered')).toHaveLength(1)
  })

  it.each(['before', 'after'])(
    '[T21] raises the alarm when what ran is not what was allowed, heard %s its result',
    async (order) => {
      const { world, terminal, toolUseId, reply, ask } = await asking()
      await using _ = world
      await world.api.answer(ask, { kind: 'allow' })
      await reply
      await terminal.taken(toolUseId, 'allow')
      const ran = () =>
        terminal.hook('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'rm -r .' }, tool_use_id: toolUseId })
      if (order === 'before') await ran()
      await terminal.result(toolUseId, { permissionDecision: { source: 'hook' } })
      if (order === 'after') {
        await until(
          async () => (await world.items(await world.session())).some(({ type }) => type === 'tool-result'),
          'it',
        )
        await ran()
      }
      await world.session(({ frozen }) => frozen === true)
      expect(await world.events('alarm')).toMatchObject([{ code: 'ran-changed', askId: ask.id }])
      // Frozen: from here nothing is allowed any more. The terminal is not ours to freeze.
      expect((await terminal.hook('PermissionRequest', BASH)).status).toBe(204)
    },
  )

  it('T63 raises the alarm when an edit ran on another text than was shown', async () => {
    await using world = await startWorld({ whatChanged })
    const terminal = await world.terminal()
    const file = join(world.cwd, 'notes.txt')
    await writeFile(file, 'one\ntwo\n')
    const tool_input = { file_path: file, old_string: 'two', new_string: 'three', replace_all: false }
    const toolUseId = await terminal.call('Edit', tool_input)
    await terminal.status('waiting')
    const reply = terminal.hook('PermissionRequest', { tool_name: 'Edit', tool_input })
    const ask = await world.ask()
    await world.api.answer(ask, { kind: 'allow' })
    await reply
    await terminal.taken(toolUseId, 'allow')
    // After the answer, and before the tool.
    await writeFile(file, 'rm -rf /\nthree\n')
    const tool_response = { originalFile: 'rm -rf /\ntwo\n', structuredPatch: [] }
    await terminal.hook('PostToolUse', { tool_name: 'Edit', tool_input, tool_use_id: toolUseId, tool_response })
    await terminal.result(toolUseId, { permissionDecision: { source: 'hook' } })
    await world.session(({ frozen }) => frozen === true)
    expect(await world.events('alarm')).toMatchObject([{ askId: ask.id }])
  })

  it('[T40] raises the alarm when a call runs although our no was taken', async () => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await world.api.answer(ask, { kind: 'deny' })
    expect((await reply).body.hookSpecificOutput?.decision).toMatchObject({ behavior: 'deny' })
    await terminal.taken(toolUseId, 'deny')
    await terminal.hook('PostToolUse', { ...BASH, tool_use_id: toolUseId })
    await terminal.result(toolUseId, { permissionDecision: { source: 'hook' } })
    await until(async () => (await world.events('alarm')).length === 1, 'the alarm')
  })

  it.each([
    ['a yes', { permissionDecision: { source: 'user_temporary', grantScope: 'once' } }, { kind: 'allow' }],
    ['a no', { toolDenialKind: 'user-rejected' }, { kind: 'deny' }],
    ['another hook', { permissionDecision: { source: 'hook' } }, { kind: 'allow' }],
  ])('[I1] is withdrawn when the transcript shows %s from there', async (_name, more, answer) => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await terminal.result(toolUseId, more)
    const outcome = await world.settled(ask.id)
    expect(outcome).toMatchObject({ kind: 'withdrawn', reason: 'answered-elsewhere', via: 'terminal', answer })
    expect((await reply).status).toBe(204)
    const late = await world.api.answer(ask, { kind: 'deny' })
    expect(late).toMatchObject({
      status: 409,
      body: { error: { code: 'already_settled', outcome: { via: 'terminal' } } },
    })
    await terminal.hook('PostToolUse', { ...BASH, tool_use_id: toolUseId })
    await terminal.status('idle')
    await terminal.hook('Stop')
    expect(await world.session(({ state }) => state === 'user_turn')).not.toHaveProperty('frozen')
  })

  it('is withdrawn when a hook tells that the call has run', async () => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await terminal.hook('PostToolUseFailure', { ...BASH, tool_use_id: toolUseId, error: 'no' })
    expect(await world.settled(ask.id)).toMatchObject({ reason: 'answered-elsewhere', answer: { kind: 'allow' } })
    expect((await reply).status).toBe(204)
  })

  it('is raised before its call is written down, and the call is found later by what it does', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    const reply = terminal.hook('PermissionRequest', BASH)
    const ask = await world.ask()
    expect(ask).not.toHaveProperty('toolUseId')
    await terminal.hook('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'other' }, tool_use_id: 'toolu_a' })
    await terminal.hook('PostToolUse', { ...BASH, tool_use_id: 'toolu_b' })
    expect(await world.settled(ask.id)).toMatchObject({ reason: 'answered-elsewhere', answer: { kind: 'allow' } })
    expect((await reply).status).toBe(204)
  })

  it('is withdrawn when its dialog has left the screen, though the tool runs on', async () => {
    const { world, terminal, reply, ask } = await asking()
    await using _ = world
    await terminal.status('busy')
    const early = await world.api.answer(ask, { kind: 'allow' })
    expect([early.status, early.body.error?.code]).toEqual([409, expect.stringMatching(/^(changed|already_settled)$/)])
    expect(await world.settled(ask.id)).toMatchObject({ reason: 'answered-elsewhere', answer: { kind: 'allow' } })
    expect((await reply).status).toBe(204)
  })

  it('whose answer came too late stays as it was recorded, and the thread says that it changed nothing', async () => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await world.api.answer(ask, { kind: 'deny', message: 'no' })
    await reply
    await terminal.hook('PostToolUse', { ...BASH, tool_use_id: toolUseId })
    await terminal.result(toolUseId, { permissionDecision: { source: 'user_temporary' } })
    const session = await world.session()
    const notice = await until(
      async () => (await world.items(session)).find(({ type }) => type === 'notice'),
      'a word about it',
    )
    expect(notice).toMatchObject({ text: expect.stringContaining('Bash had already been allowed at its terminal') })
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'denied' })
    expect([await world.events('ask-delivered'), await world.events('alarm')]).toEqual([[], []])
  })

  it('[I5] is one ask, however often its hook calls, and gives each the outcome', async () => {
    const { world, terminal, requestId, reply, ask } = await asking()
    await using _ = world
    const lost = new AbortController()
    const broken = terminal.hook('PermissionRequest', BASH, { requestId, signal: lost.signal })
    lost.abort()
    await expect(broken).rejects.toThrow()
    const again = terminal.hook('PermissionRequest', BASH, { requestId })
    expect(await world.api.openAsks()).toMatchObject([{ id: ask.id }])
    await world.api.answer(ask, { kind: 'allow' })
    expect([(await reply).status, (await again).status]).toEqual([200, 200])
    expect((await terminal.hook('PermissionRequest', BASH, { requestId })).status).toBe(200)
    expect(await world.events('ask-raised')).toHaveLength(1)
  })

  it('[I5] has no part of its answer given to another process that comes under the same id', async () => {
    const { world, terminal, requestId, reply, ask } = await asking()
    await using _ = world
    const body = {
      session_id: terminal.id,
      transcript_path: terminal.transcript,
      cwd: world.cwd,
      hook_event_name: 'PermissionRequest',
      ...BASH,
    }
    // Another hook of the same Claude Code, and one of a second Claude Code with the same conversation.
    const second = await world.terminal({ id: terminal.id })
    const hook = spawn('sleep', ['600'], { stdio: 'ignore' })
    await once(hook, 'spawn')
    try {
      const query = { pid: String(hook.pid), parent: String(terminal.pid), request: requestId }
      const another = callHooks(world.dataDir, { query, body })
      const asks = await until(async () => {
        const open = await world.api.openAsks()
        return open.length === 2 && open
      }, 'an ask of its own')
      const elsewhere = await second.hook('PermissionRequest', BASH, { requestId })
      expect(elsewhere.status).toBe(204)
      const own = asks.find(({ id }) => id !== ask.id)
      expect(own).toBeDefined()
      await world.api.answer(ask, { kind: 'allow' })
      expect((await reply).status).toBe(200)
      if (own) await world.api.answer(own, { kind: 'deny' })
      const { body: told } = (await another) as Awaited<typeof reply>
      expect(told.hookSpecificOutput?.decision).toMatchObject({ behavior: 'deny' })
    } finally {
      hook.kill('SIGKILL')
    }
  })

  it('T63 is withdrawn as changed, and asked again for the same hook, when what it shows is not so any more', async () => {
    await using world = await startWorld({ whatChanged })
    const terminal = await world.terminal()
    const planFilePath = join(world.root, 'plan.md')
    await writeFile(planFilePath, 'Tidy up.')
    const reply = terminal.hook('PermissionRequest', {
      tool_name: 'ExitPlanMode',
      tool_input: { plan: 'Tidy up.', planFilePath },
    })
    const first = await world.ask()
    expect(first).toMatchObject({ kind: 'plan', plan: { text: 'Tidy up.' } })
    await writeFile(planFilePath, 'Tear it all down.')
    expect(await world.api.answer(first, { kind: 'allow' })).toMatchObject({
      status: 409,
      body: { error: { code: 'changed' } },
    })
    expect(await world.settled(first.id)).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
    const second = await world.ask()
    expect(second).toMatchObject({ plan: { text: 'Tear it all down.' }, replaces: first.id })
    expect(await world.api.answer(first, { kind: 'allow' })).toMatchObject({ status: 409 })
    expect(await world.api.answer(second, { kind: 'deny', message: 'no' })).toMatchObject({ status: 200 })
    expect((await reply).body.hookSpecificOutput?.decision).toMatchObject({ behavior: 'deny', message: 'no' })
  })

  it.each([
    [
      'T63 the file of an edit',
      'notes.txt',
      ['one\ntwo\n', 'rm -rf /\ntwo\n'],
      (file_path: string) => ({ tool_name: 'Edit', tool_input: { file_path, old_string: 'two', new_string: 'three' } }),
      'edits',
    ],
    [
      'T63 a notebook',
      'a.ipynb',
      ['x = 1', 'x = 9'].map((source) => JSON.stringify({ cells: [{ cell_type: 'code', id: 'a', source }] })),
      (notebook_path: string) => ({
        tool_name: 'NotebookEdit',
        tool_input: { notebook_path, cell_id: 'a', new_source: 'x = 2' },
      }),
      'edits',
    ],
    [
      'T22 the script of a command',
      'build.sh',
      ['make it\n', 'rm -rf /\n'],
      () => ({ tool_name: 'Bash', tool_input: { command: 'sh build.sh' } }),
      'runs',
    ],
  ] as const)(
    'is bound to what it acts on, and asks again when that has changed: %s',
    async (_, name, texts, call, use) => {
      await using world = await startWorld({ whatChanged })
      const terminal = await world.terminal()
      const path = join(world.cwd, name)
      await writeFile(path, texts[0] ?? '')
      const reply = terminal.hook('PermissionRequest', call(path))
      const first = await world.ask()
      expect(first.files).toMatchObject([{ path, use, sha256: sha256(texts[0] ?? '') }])
      await writeFile(path, texts[1] ?? '')
      expect(await world.api.answer(first, { kind: 'allow' })).toMatchObject({
        status: 409,
        body: { error: { code: 'changed' } },
      })
      expect(await world.settled(first.id)).toMatchObject({ kind: 'withdrawn', reason: 'changed' })
      const second = await world.ask()
      expect(second).toMatchObject({ replaces: first.id, files: [{ path, use, sha256: sha256(texts[1] ?? '') }] })
      expect(second.digest).not.toBe(first.digest)
      if (use === 'edits') expect(second.context.diff).not.toBe(first.context.diff)
      // Back as it was: the old ask answers nothing all the same, and the new one showed something else.
      await writeFile(path, texts[0] ?? '')
      expect(await world.api.answer(first, { kind: 'allow' })).toMatchObject({
        body: { error: { code: 'already_settled' } },
      })
      expect(await world.api.answer(second, { kind: 'allow' })).toMatchObject({ body: { error: { code: 'changed' } } })
      const third = await world.ask()
      expect(await world.api.answer(third, { kind: 'allow' })).toMatchObject({ status: 200 })
      expect((await reply).body.hookSpecificOutput?.decision).toMatchObject({ behavior: 'allow' })
      expect(await world.api.openAsks()).toEqual([])
    },
  )

  it('T62 shows the folder that its own hook tells, not the session’s, and binds it', async () => {
    const { world, terminal, ask } = await asking()
    await using _ = world
    expect(ask.context.cwd).toBe(world.cwd)
    await mkdir(join(world.cwd, 'sub'))
    const elsewhere = terminal.hook('PermissionRequest', { ...BASH, cwd: join(world.cwd, 'sub') })
    const second = await until(async () => (await world.api.openAsks()).find(({ id }) => id !== ask.id), 'another ask')
    expect(second.context.cwd).toBe(join(world.cwd, 'sub'))
    expect(second.digest).not.toBe(ask.digest)
    await world.api.answer(second, { kind: 'deny' })
    await elsewhere
  })

  it('[I6] has no part of its answer given to another call under the same id', async () => {
    const { world, terminal, requestId, reply, ask } = await asking()
    await using _ = world
    const other = { ...BASH, tool_input: { command: 'rm -rf .' } }
    expect((await terminal.hook('PermissionRequest', other, { requestId })).status).toBe(204)
    await world.api.answer(ask, { kind: 'allow' })
    expect((await reply).status).toBe(200)
    expect((await terminal.hook('PermissionRequest', other, { requestId })).status).toBe(204)
  })

  it('[I3] is the same after a restart of the gateway, open or with its outcome', async () => {
    const { world, terminal, requestId, reply, ask } = await asking()
    await using _ = world
    await world.restart(async () => {
      expect((await reply).status).toBe(503)
    })
    const again = terminal.hook('PermissionRequest', BASH, { requestId })
    expect(await world.ask()).toMatchObject({ id: ask.id })
    // Until its hook has come back, nobody would hand the answer on.
    await until(async () => (await world.api.answer(ask, { kind: 'allow' })).status === 200, 'the answer')
    expect((await again).status).toBe(200)
    await world.restart()
    expect((await terminal.hook('PermissionRequest', BASH, { requestId })).status).toBe(200)
    expect(await world.events('ask-raised')).toHaveLength(1)
  })

  it('that was answered there while no gateway ran is withdrawn by the next one', async () => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await world.restart(async () => {
      await reply
      await terminal.result(toolUseId, { toolDenialKind: 'user-rejected' })
      await terminal.status('idle')
    })
    expect(await world.settled(ask.id)).toMatchObject({ reason: 'answered-elsewhere', answer: { kind: 'deny' } })
  })

  it('of a single prompt, which has no screen, waits on over a restart of the gateway', async () => {
    const { world, terminal, reply, ask } = await asking()
    await using _ = world
    const single = await world.terminal({ entrypoint: 'sdk-cli' })
    await single.status('busy')
    const requestId = randomUUID()
    const lost = single.hook('PermissionRequest', BASH, { requestId })
    const waiting = await until(
      async () => (await world.api.openAsks()).find((other) => other.sessionId !== ask.sessionId),
      'its ask',
    )
    await world.restart(async () => {
      await Promise.all([reply, lost])
      await terminal.status('idle')
    })
    const again = single.hook('PermissionRequest', BASH, { requestId })
    // By now whatever was answered in a dialog has been found out.
    expect(await world.settled(ask.id)).toMatchObject({ reason: 'answered-elsewhere' })
    await until(async () => (await world.api.answer(waiting, { kind: 'allow' })).status === 200, 'the answer')
    expect((await again).status).toBe(200)
  })

  it('of a subagent is not taken for answered when a dialog of the agent itself goes', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    await terminal.status('waiting')
    const reply = terminal.hook('PermissionRequest', { ...BASH, agent_id: 'sub1', agent_type: 'Explore' })
    const ask = await world.ask()
    expect(ask).toMatchObject({ subagent: 'sub1', subagentName: 'Explore' })
    await terminal.status('busy')
    await terminal.hook('Stop')
    await world.session(({ state }) => state === 'user_turn')
    expect((await world.api.answer(ask, { kind: 'allow' })).status).toBe(200)
    expect((await reply).status).toBe(200)
  })

  it('[I7] of a resumed conversation is not taken for the same call of a process that was killed in its midst', async () => {
    const { world, terminal, toolUseId, reply, ask } = await asking()
    await using _ = world
    await terminal.kill()
    await world.settled(ask.id)
    await reply
    const resumed = await world.terminal({ id: terminal.id })
    await resumed.hook('SessionStart', { source: 'resume' })
    await resumed.hook('UserPromptSubmit', { prompt: 'go on' })
    // Its hook is faster than its transcript, which first says what became of the old call.
    const again = resumed.hook('PermissionRequest', BASH)
    const open = await world.ask()
    await resumed.result(toolUseId, { toolDenialKind: 'user-rejected' }, '[Tool call interrupted]')
    await resumed.call('Bash', { command: 'make it' })
    await until(async () => (await world.items(await world.session())).length > 3, 'the transcript to be read')
    expect((await world.api.openAsks()).map(({ id }) => id)).toEqual([open.id])
    expect(open.toolUseId).not.toBe(toolUseId)
    expect((await world.api.answer(open, { kind: 'allow' })).status).toBe(200)
    expect((await again).status).toBe(200)
  })

  it('[F4] is orphaned when its process is killed, and the hook is let go', async () => {
    const { world, terminal, reply, ask } = await asking()
    await using _ = world
    await terminal.kill()
    expect(await world.settled(ask.id)).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
    expect((await reply).status).toBe(204)
  })

  it('that no person can be shown is left to the terminal', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    const huge = { tool_name: 'Write', tool_input: { file_path: 'x', content: 'x'.repeat(2_100_000) } }
    expect((await terminal.hook('PermissionRequest', huge)).status).toBe(204)
    const twice = [1, 2].map(() => ({ question: 'Same?', header: 'S', options: [], multiSelect: false }))
    const questions = { tool_name: 'AskUserQuestion', tool_input: { questions: twice } }
    expect((await terminal.hook('PermissionRequest', questions)).status).toBe(204)
    expect((await terminal.hook('PermissionRequest', { tool_name: 'Bash' })).status).toBe(204)
    expect(await world.events('ask-raised')).toEqual([])
  })
})

/** The tokens of programs; the one of the environment is none of them. */
async function tokensOf({ api }: Pick<Awaited<ReturnType<typeof startWorld>>, 'api'>) {
  const { devices } = await api.ok<{ devices: Device[] }>('GET', '/api/devices')
  return devices.filter(({ kind }) => kind === 'bearer')
}

describe.concurrent('[I8] the credential of terminals', () => {
  it('[T54] stands in a file for this user alone, stays over restarts, and answers nothing', async () => {
    await using world = await startWorld()
    expect((await stat(hookCredential(world.dataDir))).mode & 0o777).toBe(0o600)
    const token = readToken(world.dataDir)
    await world.restart()
    expect(readToken(world.dataDir)).toBe(token)
    expect(await tokensOf(world)).toMatchObject([{ name: 'Terminals on this machine', role: 'raiser' }])
    const headers = { authorization: `Bearer ${token}` }
    for (const path of ['/api/asks', '/api/sessions', '/api/transcripts'])
      expect((await fetch(world.api.url + path, { headers })).status).toBe(403)
  })

  it('is the only one that speaks for terminals', async () => {
    await using world = await startWorld()
    for (const role of ['raiser', 'owner', 'approver', 'viewer'] as const) {
      const { headers } = await world.gateway.credential({ role })
      expect((await callHooks(world.dataDir, { ...STOP, headers })).status).toBe(403)
    }
    expect((await callHooks(world.dataDir, { ...STOP, headers: { authorization: '' } })).status).toBe(401)
    expect((await callHooks(world.dataDir, STOP)).status).toBe(204)
  })

  it('stays revoked over a restart, until the owner gives another one', async () => {
    await using world = await startWorld()
    const terminal = await world.terminal()
    const reply = terminal.hook('PermissionRequest', BASH)
    const ask = await world.ask()
    await world.api.ok('DELETE', `/api/devices/${(await tokensOf(world))[0]?.id}`)
    expect((await reply).status).toBe(401)
    // Nobody is left who would hand it on: so it does not count.
    expect((await world.api.answer(ask, { kind: 'allow' })).status).toBe(409)
    expect((await terminal.hook('Stop')).status).toBe(401)
    await world.restart()
    expect((await terminal.hook('Stop')).status).toBe(401)
    await world.api.ok('POST', '/api/terminals/access')
    expect((await terminal.hook('Stop')).status).toBe(204)
  })

  it('is made anew when its file is lost', async () => {
    await using world = await startWorld()
    const before = readToken(world.dataDir)
    await world.restart(() => writeFile(hookCredential(world.dataDir), 'garbage'))
    expect(readToken(world.dataDir)).toMatch(/^\S{20,}$/)
    expect(readToken(world.dataDir)).not.toBe(before)
    expect(await tokensOf(world)).toHaveLength(1)
  })

  it.each([
    ['no session', { body: { hook_event_name: 'Stop', cwd: '/' } }],
    ['an id that is a path', { body: { ...STOP.body, session_id: '../x' } }],
    ['the process that starts all others', { query: { ...STOP.query, parent: '1' } }],
    ['a process that is none', { query: { ...STOP.query, parent: 'x' } }],
    ['a request id that is none', { query: { ...STOP.query, request: '' } }],
  ])('is refused with %s', async (_, part) => {
    await using world = await startWorld()
    expect((await callHooks(world.dataDir, { ...STOP, ...part })).status).toBe(422)
  })
})

describe('hooks that wait', () => {
  it('F59 are not looked at one by one: however many there are, reads stay few', async () => {
    const time = createManualClock()
    const store = createMemoryStore()
    const root = await mkdtemp(join(tmpdir(), 'hp-waiting-'))
    const attached = createAttachedAgents({ records: store.records, clock: time.clock, warn: () => {} })
    await using test = await startTestGateway({
      store,
      clock: time.clock,
      terminals: { attached, projects: join(root, 'projects') },
    })
    const [quiet, over] = [new AbortController(), LONG ? 2664 : 150]
    await mkdir(join(root, 'projects', '-p'), { recursive: true })
    const ask = (session: string) => {
      const body = {
        session_id: session,
        cwd: '/p',
        transcript_path: join(root, 'projects', '-p', `${session}.jsonl`),
        hook_event_name: 'PermissionRequest',
        ...BASH,
      }
      const query = { pid: String(process.pid), parent: String(process.pid), request: `waiting-${session}` }
      return callHooks(test.dataDir, { query, body, signal: quiet.signal }).catch(() => {})
    }
    const waiting: Promise<unknown>[] = []
    /** Reads by this process, the test's own included, while ten seconds of the gateway's time pass. */
    async function readsWith(count: number): Promise<number> {
      while (waiting.length < count) waiting.push(ask(randomUUID()))
      await until(async () => {
        time.advance(100)
        return (await test.api.openAsks()).length === count
      }, 'the asks')
      const step = async () => {
        time.advance(500)
        await readsOver()
      }
      // What was scheduled when they came.
      for (let steps = 0; steps < 6; steps++) await step()
      // The least of three: whatever else this process reads meanwhile is not theirs.
      const windows: number[] = []
      for (let window = 0; window < 3; window++) {
        const before = readCalls()
        for (let steps = 0; steps < 20; steps++) await step()
        windows.push(readCalls() - before)
      }
      return Math.min(...windows)
    }
    const [few, many] = [await readsWith(20), await readsWith(over)]
    report(`F59: ${few} reads in ten seconds with 20 waiting hooks, ${many} with ${over}`)
    // Twenty processes and twenty sessions each second, whoever's turn it is: as many as for twenty hooks.
    expect(many).toBeLessThan(2 * few)
    quiet.abort()
    await Promise.all(waiting)
    await rm(root, { recursive: true, force: true })
  })
})

function readCalls(): number {
  return Number(/^syscr: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}

/** Resolves when what was begun has come to its end, so that it counts: from then on only this looking reads. */
async function readsOver(): Promise<void> {
  const own = -readCalls() + readCalls()
  let last = readCalls()
  for (let looks = 0; looks < 50; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    const now = readCalls()
    if (now - last === own) return
    last = now
  }
}
