import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '@holdpoint/schema/session'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'
import { createHoldpoint } from './create-holdpoint.ts'
import { type Embedding, hook, startEmbedding, useTool } from './fixtures/embedding.ts'
import type { AttachedQuery, PersonMessage } from './holdpoint.ts'

/** Somebody's query, as far as people can act on it. */
function fakeQuery() {
  const calls: string[] = []
  const query: AttachedQuery = {
    interrupt: async () => void calls.push('interrupt'),
    close: () => void calls.push('close'),
    setPermissionMode: async (mode) => void calls.push(mode),
    setModel: async (model) => void calls.push(model ?? ''),
  }
  return { query, calls }
}

describe('an ask of an embedded agent', () => {
  it('[I3, I6] waits for a person, who gets what the agent asked, and goes back as it was shown', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, title: 'Mine' })
    const deciding = useTool(session, { command: 'echo hello', extra: [1, { two: 3 }] })
    const ask = await embedding.ask(session)
    // No hook has told the folder of this call: none is shown.
    expect(ask).toMatchObject({ agent: 'claude', epoch: 1 })
    expect(ask.context).toEqual({ command: 'echo hello' })
    await embedding.answer(ask, { kind: 'allow' })
    expect(await deciding).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'echo hello', extra: [1, { two: 3 }] },
    })
    expect(await embedding.settled(ask)).toMatchObject({ kind: 'allowed', by: { name: 'The program itself' } })
    expect(await embedding.read(session)).toMatchObject({
      title: 'Mine',
      embedded: true,
      state: 'assistant_turn',
      openAsks: 0,
    })
  })

  it('carries the words of a no', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    await embedding.answer(await embedding.ask(session), { kind: 'deny', message: 'Use the other file.' })
    expect(await deciding).toEqual({ behavior: 'deny', message: 'Use the other file.' })
  })

  it('is recorded as told only when the SDK has the answer', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    const ask = await embedding.ask(session)
    await embedding.answer(ask, { kind: 'allow' })
    await deciding
    await embedding.holdpoint.close()
    const store = await openSqliteStore({ path: join(embedding.data, 'holdpoint.db') })
    const events = await store.events({ after: 0, sessionId: session.id, limit: 100 })
    await store.close()
    const types = events.map(({ event }) => event.type)
    expect(types).toContain('ask-delivered')
    expect(types.indexOf('ask-delivered')).toBeGreaterThan(types.indexOf('ask-settled'))
  })

  it('expires as the session says', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, askTimeoutMs: 1000, onTimeout: 'interrupt' })
    expect(await useTool(session)).toMatchObject({ behavior: 'deny', interrupt: true })
    await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end of the turn')
  })

  it('is withdrawn when the agent takes it back, and the turn is over', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const aborting = new AbortController()
    const deciding = useTool(session, undefined, { signal: aborting.signal })
    const ask = await embedding.ask(session)
    aborting.abort()
    expect(await deciding).toMatchObject({ behavior: 'deny' })
    expect(await embedding.settled(ask)).toMatchObject({ kind: 'withdrawn', reason: 'agent-cancelled' })
    await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end of the turn')
  })

  it('does not share an answer with another, even where the SDK gives no request ids', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const withoutId = { requestId: undefined as unknown as string }
    const first = useTool(session, undefined, withoutId)
    await embedding.answer(await embedding.ask(session), { kind: 'allow' })
    expect(await first).toMatchObject({ behavior: 'allow' })
    const second = useTool(session, undefined, withoutId)
    await embedding.answer(await embedding.ask(session), { kind: 'deny' })
    expect(await second).toMatchObject({ behavior: 'deny' })
  })

  it('of an MCP server is a form, and fails closed too', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const request = {
      serverName: 'files',
      message: 'Which one?',
      mode: 'form' as const,
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    }
    const context = { signal: new AbortController().signal, requestId: 'form-1' }
    const filling = session.onElicitation(request, context)
    await embedding.answer(await embedding.ask(session), { kind: 'submit', content: { name: 'a.txt' } })
    expect(await filling).toEqual({ action: 'accept', content: { name: 'a.txt' } })
    await session.end()
    expect(await session.onElicitation(request, { ...context, requestId: 'form-2' })).toEqual({ action: 'cancel' })
  })
})

describe('[I4] nothing is allowed', () => {
  it('in a session that has ended: what is open is withdrawn, what comes later is refused', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    const ask = await embedding.ask(session)
    await session.end()
    expect(await deciding).toMatchObject({ behavior: 'deny', interrupt: true })
    expect(await embedding.settled(ask)).toMatchObject({ kind: 'withdrawn', reason: 'session-ended' })
    expect(await useTool(session)).toMatchObject({ behavior: 'deny', interrupt: true })
    expect(await hook(session, 'PreToolUse', { tool_name: 'Read', tool_use_id: 'toolu_x' })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    expect(await embedding.read(session)).toMatchObject({ state: 'dead', endReason: 'ended-by-program' })
  })

  it('after a close, by whom ever it is asked', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    await embedding.ask(session)
    await embedding.holdpoint.close()
    expect(await deciding).toMatchObject({ behavior: 'deny', interrupt: true })
    expect(await useTool(session)).toMatchObject({ behavior: 'deny', interrupt: true })
    expect(() => embedding.holdpoint.session({ cwd: embedding.cwd })).toThrow(
      expect.objectContaining({ code: 'closed' }),
    )
    await expect(embedding.holdpoint.listen({ port: 0 })).rejects.toMatchObject({ code: 'closed' })
  })

  it('in a session that could not be recorded', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: join(embedding.cwd, 'missing') })
    await expect(session.ready).rejects.toMatchObject({ code: 'unknown-folder' })
    expect(await useTool(session)).toMatchObject({
      behavior: 'deny',
      message: expect.stringContaining('not recorded'),
    })
    expect(await hook(session, 'PreToolUse', { tool_name: 'Read', tool_use_id: 'toolu_x' })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
  })

  it('where every call has to ask and one comes that the hooks have not heard of, which is told once', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
    const refused = { behavior: 'deny', interrupt: true, message: expect.stringContaining('session.hooks') }
    expect(await useTool(session)).toMatchObject(refused)
    expect(await useTool(session)).toMatchObject(refused)
    await hook(session, 'PreToolUse', { tool_name: 'Bash', tool_use_id: 'toolu_heard' })
    const deciding = useTool(session, undefined, { toolUseID: 'toolu_heard' })
    await embedding.answer(await embedding.ask(session), { kind: 'allow' })
    expect(await deciding).toMatchObject({ behavior: 'allow' })
    // Others, from a query that has them not.
    expect(await useTool(session)).toMatchObject(refused)
    await session.end()
    const notices = (await embedding.items(session)).filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ level: 'error', text: expect.stringContaining('session.hooks') }])
  })

  it('of what no hook can hear of without a person: the network, in the middle of a call', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
    const given = { signal: new AbortController().signal, toolUseID: 'made-up', requestId: 'network' }
    const deciding = session.canUseTool('SandboxNetworkAccess', { host: 'a.example' }, given)
    await embedding.answer(await embedding.ask(session), { kind: 'allow' })
    expect(await deciding).toMatchObject({ behavior: 'allow' })
  })

  it('after something ran that was not allowed: the session is frozen', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const { query, calls } = fakeQuery()
    expect(session.attach(query)).toBe(query)
    const deciding = useTool(session, { command: 'echo hello' }, { toolUseID: 'toolu_changed' })
    await embedding.answer(await embedding.ask(session), { kind: 'allow' })
    await deciding
    const ran = { tool_name: 'Bash', tool_use_id: 'toolu_changed', tool_input: { command: 'rm -rf /' } }
    await hook(session, 'PostToolUse', { ...ran, tool_response: '' })
    await until(async () => (await embedding.read(session)).frozen, 'the alarm')
    expect(await useTool(session)).toMatchObject({ behavior: 'deny', message: expect.stringContaining('frozen') })
    expect(await hook(session, 'PreToolUse', { tool_name: 'Read', tool_use_id: 'toolu_x' })).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    })
    await until(() => calls.includes('interrupt'), 'the interruption')
  })
})

describe('what people can do to an embedded session', () => {
  it('writing to it is refused, with the reason', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    await session.ready
    const reply = await embedding.call('POST', `/api/sessions/${session.id}/messages`, { text: 'hello' })
    expect(reply).toMatchObject({
      status: 422,
      body: { error: { code: 'not_supported', detail: expect.stringContaining('another program') } },
    })
    expect((await embedding.read(session)).queuedMessages).toBe(0)
  })

  it('nobody can start or resume an agent from outside', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    await session.end()
    const started = await embedding.call('POST', '/api/sessions', { agent: 'claude', cwd: embedding.cwd, prompt: 'go' })
    expect(started).toMatchObject({ status: 422, body: { error: { code: 'unknown_agent' } } })
    const resumed = await embedding.call('POST', '/api/sessions', { resume: session.id })
    expect(resumed).toMatchObject({ status: 422, body: { error: { code: 'not_supported' } } })
  })

  it('interrupting needs a query; without one the ask stays', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    const deciding = useTool(session)
    const ask = await embedding.ask(session)
    const refused = await embedding.call('POST', `/api/sessions/${session.id}/interrupt`)
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'not_supported' } } })
    expect(await embedding.settled(ask)).toBeUndefined()

    const { query, calls } = fakeQuery()
    session.attach(query)
    expect((await embedding.call('POST', `/api/sessions/${session.id}/interrupt`)).status).toBe(202)
    expect(await deciding).toMatchObject({ behavior: 'deny' })
    expect(calls).toEqual(['interrupt'])
    await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end of the turn')
  })

  it('with a query, mode and model can be changed; ending it closes the query', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd })
    await session.ready
    const change = (what: string, body: unknown) => embedding.call('POST', `/api/sessions/${session.id}/${what}`, body)
    expect((await change('mode', { permissionMode: 'plan' })).status).toBe(422)
    const { query, calls } = fakeQuery()
    session.attach(query)
    expect((await change('mode', { permissionMode: 'plan' })).status).toBe(200)
    expect((await change('model', { model: 'another' })).status).toBe(200)
    expect((await embedding.call('DELETE', `/api/sessions/${session.id}`)).status).toBe(202)
    expect(calls).toEqual(['plan', 'another', 'close'])
    expect(await useTool(session)).toMatchObject({ behavior: 'deny', interrupt: true })
  })
})

describe('resuming', () => {
  it('goes on in the same thread with the next epoch, and knows the agent’s own id', async () => {
    await using embedding = await startEmbedding()
    const first = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
    await hook(first, 'UserPromptSubmit', { prompt: 'Do it.' })
    await first.ready
    expect(first.vendorSessionId).toBe('vendor-session')
    const holdpoint = await embedding.again()

    const second = holdpoint.session({ resume: first.id })
    expect(await second.ready).toMatchObject({ id: first.id, epoch: 2, vendorSessionId: 'vendor-session' })
    expect(second.vendorSessionId).toBe('vendor-session')
    const call = { tool_name: 'Bash', tool_use_id: 'toolu_x', tool_input: { command: 'ls' } }
    const deciding = hook(second, 'PreToolUse', call)
    const ask = await embedding.ask(second)
    expect(ask).toMatchObject({ sessionId: first.id, epoch: 2 })
    await embedding.answer(ask, { kind: 'allow' })
    expect(await deciding).toMatchObject({ hookSpecificOutput: { permissionDecision: 'allow' } })
    await second.end()
    expect(await embedding.items(second)).toMatchObject([{ text: 'Do it.' }, { type: 'tool-call' }, { type: 'ask' }])
  })

  it('says what it cannot go on with', async () => {
    await using embedding = await startEmbedding()
    const alive = embedding.holdpoint.session({ cwd: embedding.cwd })
    await alive.ready
    const again = embedding.holdpoint.session({ resume: alive.id })
    await expect(again.ready).rejects.toMatchObject({ code: 'session-alive' })
    expect(await useTool(again)).toMatchObject({ behavior: 'deny' })
    const missing = embedding.holdpoint.session({ resume: 'ses_00000000000000000000000000' })
    await expect(missing.ready).rejects.toMatchObject({ code: 'no-such-session' })
    // The one that lives is none the worse for it.
    const deciding = useTool(alive)
    await embedding.answer(await embedding.ask(alive), { kind: 'allow' })
    expect(await deciding).toMatchObject({ behavior: 'allow' })
  })

  it('leaves sessions alone whose agents Holdpoint runs itself', async () => {
    await using embedding = await startEmbedding()
    await embedding.holdpoint.close()
    const folder = join(embedding.root, 'hosted')
    await mkdir(folder, { mode: 0o700 })
    const store = await openSqliteStore({ path: join(folder, 'holdpoint.db') })
    const gateway = await startTestGateway({ store, dataDir: folder })
    const { session } = await gateway.session()
    await gateway.gateway.close()
    await store.close()
    await expect(createHoldpoint({ data: folder })).rejects.toMatchObject({ code: 'hosted-sessions' })

    const reopened = await openSqliteStore({ path: join(folder, 'holdpoint.db') })
    expect(await reopened.session(session.id)).not.toMatchObject({ state: 'dead' })
    await reopened.close()
  })
})

describe('a message from a person', () => {
  const send = (embedding: Embedding, { id }: Pick<Session, 'id'>, text: string) =>
    embedding.call('POST', `/api/sessions/${id}/messages`, { text })

  it('goes to the program that takes them, in the order in which they came, and is in the thread once', async () => {
    await using embedding = await startEmbedding()
    const given: PersonMessage[] = []
    const onMessage = (message: PersonMessage) => void given.push(message)
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, onMessage })
    expect(await session.ready).toMatchObject({ embedded: true, takesMessages: true })
    expect((await send(embedding, session, 'one')).status).toBe(202)
    await until(() => given.length === 1, 'the first')
    expect((await send(embedding, session, 'two')).status).toBe(202)
    await hook(session, 'UserPromptSubmit', { prompt: 'one' })
    expect(given).toEqual([{ text: 'one', content: [{ type: 'text', text: 'one' }] }])
    await hook(session, 'Stop')
    await until(() => given.length === 2, 'the second')
    // The program may say it in words of its own: then these are in the thread, too.
    await hook(session, 'UserPromptSubmit', { prompt: 'They say: two' })
    await hook(session, 'Stop')
    await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end')
    const texts = (await embedding.items(session)).map((item) => item.type === 'message' && item.text)
    expect(texts).toEqual(['one', 'two', 'They say: two'])
  })

  it('that the program fails on is told in the thread, and the next one goes through', async () => {
    await using embedding = await startEmbedding()
    const given: string[] = []
    const onMessage = async ({ text }: PersonMessage) => {
      given.push(text)
      if (text === 'one') throw new Error('no agent here')
    }
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, onMessage })
    await session.ready
    await send(embedding, session, 'one')
    await until(async () => (await embedding.items(session)).some(({ type }) => type === 'notice'), 'the notice')
    await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end')
    await send(embedding, session, 'two')
    await until(() => given.length === 2, 'the second')
    expect((await embedding.items(session)).find(({ type }) => type === 'notice')).toMatchObject({
      level: 'error',
      text: 'The program could not deliver this message to the agent: no agent here',
    })
  })

  it('is refused where the program takes none, also when it did in the life before', async () => {
    await using embedding = await startEmbedding()
    const session = embedding.holdpoint.session({ cwd: embedding.cwd, onMessage: () => {} })
    await session.ready
    await session.end()
    const again = embedding.holdpoint.session({ resume: session.id })
    await again.ready
    expect(await send(embedding, session, 'hello')).toMatchObject({
      status: 422,
      body: { error: { code: 'not_supported' } },
    })
  })
})
