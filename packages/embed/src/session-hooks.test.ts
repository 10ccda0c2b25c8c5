import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { hook, startEmbedding } from './fixtures/embedding.ts'
import { createSessionHooks } from './session-hooks.ts'

it('makes the thread and the state of what the hooks tell', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd })
  await session.ready
  await until(async () => (await embedding.read(session)).state === 'user_turn', 'the start')
  await hook(session, 'UserPromptSubmit', { prompt: 'Look around.' })
  await until(async () => (await embedding.read(session)).state === 'assistant_turn', 'the turn')
  await hook(session, 'MessageDisplay', { message_id: 'm1', index: 0, final: false, delta: 'I will\n' })
  await hook(session, 'MessageDisplay', { message_id: 'm1', index: 1, final: true, delta: 'look.' })
  const read = { tool_name: 'Read', tool_use_id: 'toolu_read', tool_input: { file_path: 'a.txt' } }
  const bash = { tool_name: 'Bash', tool_use_id: 'toolu_bash', tool_input: { command: 'false' } }
  const edit = { tool_name: 'Edit', tool_use_id: 'toolu_edit', tool_input: {} }
  for (const call of [read, bash, edit]) expect(await hook(session, 'PreToolUse', call)).toEqual({})
  await hook(session, 'PostToolUse', { ...read, tool_response: { any: 'thing' } })
  await hook(session, 'PostToolUseFailure', { ...bash, error: 'Exit code 1' })
  const batch = [
    { ...read, tool_response: 'what it says' },
    { ...bash, tool_response: 'Exit code 1' },
    { ...edit, tool_response: [{ type: 'text', text: 'The user denied this.' }] },
  ]
  await hook(session, 'PostToolBatch', { tool_calls: batch })
  await hook(session, 'MessageDisplay', { message_id: 'm2', index: 0, final: true, delta: 'Done.' })
  await hook(session, 'Stop', { last_assistant_message: 'Done.' })
  await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end of the turn')

  expect(await embedding.read(session)).toMatchObject({ vendorSessionId: 'vendor-session' })
  expect(await embedding.items(session)).toMatchObject([
    { type: 'message', role: 'user', text: 'Look around.', status: 'sent' },
    { type: 'message', role: 'assistant', text: 'I will\nlook.' },
    { type: 'tool-call', toolUseId: 'toolu_read', name: 'Read', input: { file_path: 'a.txt' } },
    { type: 'tool-call', toolUseId: 'toolu_bash' },
    { type: 'tool-call', toolUseId: 'toolu_edit' },
    { type: 'tool-result', toolUseId: 'toolu_read', text: 'what it says', isError: false },
    { type: 'tool-result', toolUseId: 'toolu_bash', text: 'Exit code 1', isError: true },
    { type: 'tool-result', toolUseId: 'toolu_edit', text: 'The user denied this.', isError: true },
    { type: 'message', role: 'assistant', text: 'Done.' },
  ])
})

it('keeps what a subagent does apart, and knows what it is called', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd })
  const from = { agent_id: 'a1', agent_type: 'reviewer' }
  await hook(session, 'SubagentStart', from)
  await hook(session, 'PreToolUse', { ...from, tool_name: 'Read', tool_use_id: 'toolu_1', tool_input: {} })
  const asking = session.canUseTool(
    'Bash',
    { command: 'ls' },
    {
      signal: new AbortController().signal,
      toolUseID: 'toolu_2',
      requestId: 'request-2',
      agentID: 'a1',
    },
  )
  const ask = await embedding.ask(session)
  expect(ask).toMatchObject({ subagent: 'a1', subagentName: 'reviewer' })
  await embedding.answer(ask, { kind: 'deny' })
  await asking
  await hook(session, 'SubagentStop', { ...from, last_assistant_message: 'Looks good.' })
  await session.end()
  const items = (await embedding.items(session)).filter((item) => item.type !== 'ask')
  expect(items).toMatchObject([
    { type: 'tool-call', subagent: 'a1' },
    { type: 'message', role: 'assistant', text: 'Looks good.', subagent: 'a1' },
  ])
})

it('follows the mode that the agent is in, and tells why it stopped', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd, permissionMode: 'plan' })
  expect((await session.ready).permissionMode).toBe('plan')
  await hook(session, 'UserPromptSubmit', { prompt: 'Go.', permission_mode: 'acceptEdits' })
  await until(async () => (await embedding.read(session)).permissionMode === 'acceptEdits', 'the mode')
  await hook(session, 'StopFailure', { error: 'rate_limit', permission_mode: undefined })
  await until(async () => (await embedding.read(session)).state === 'user_turn', 'the end of the turn')
  expect(await embedding.items(session)).toMatchObject([
    { text: 'Go.' },
    { type: 'notice', level: 'error', text: 'The agent stopped: rate limit.' },
  ])
})

it('takes no notice of the agent’s own for something that a person wrote', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd })
  await hook(session, 'UserPromptSubmit', { prompt: '<task-notification>', source: 'system' })
  await until(async () => (await embedding.read(session)).state === 'assistant_turn', 'the turn')
  expect(await embedding.items(session)).toEqual([])
})

it('[T65] where every call has to ask, waits for a person itself, and blocks when it fails', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
  const call = { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'make' }, cwd: '/usr' }
  const waiting = hook(session, 'PreToolUse', call)
  const ask = await embedding.ask(session)
  expect(ask).toMatchObject({ toolUseId: 'toolu_1', title: 'Bash: make', context: { cwd: '/usr' } })
  await embedding.answer(ask, { kind: 'allow', updatedInput: { command: 'make test' } })
  expect(await waiting).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'make test' } },
  })
  expect(session.hooks.PreToolUse[0]).toMatchObject({ onFailure: 'block', timeout: 2_592_000 })
  expect(session.options.settings).toMatchObject({ disableAllHooks: true, disableSkillShellExecution: true })

  const unasked = { ...call, tool_use_id: 'toolu_2' }
  await hook(session, 'PostToolUse', { ...unasked, tool_response: '' })
  await until(async () => (await embedding.read(session)).frozen, 'the alarm for a call that did not ask')
})

it('[T65] a no that stops is a no, and then an interrupt', async () => {
  await using embedding = await startEmbedding()
  const session = embedding.holdpoint.session({ cwd: embedding.cwd, gate: 'everything' })
  const told: string[] = []
  const interrupt = async () => void told.push('interrupt')
  session.attach({ interrupt, close: () => {}, setPermissionMode: async () => {}, setModel: async () => {} })
  const call = { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_input: { command: 'make' } }
  const waiting = hook(session, 'PreToolUse', call).then((output) => {
    told.push('no')
    return output
  })
  await embedding.answer(await embedding.ask(session), { kind: 'deny', message: 'Not today.', interrupt: true })
  expect(await waiting).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'Not today.' },
  })
  await until(async () => told.length === 2, 'the interrupt')
  expect(told).toEqual(['no', 'interrupt'])
})

it('[I10] knows the calls that it has heard of lately, and not all that there ever were', async () => {
  const heard = createSessionHooks({
    note: () => undefined,
    ran: () => {},
    refusal: () => undefined,
    decide: async () => ({}),
  })
  const call = (number: number) =>
    hook(heard, 'PreToolUse', { tool_name: 'Read', tool_use_id: `toolu_${number}`, cwd: '/code' })
  for (let number = 0; number < 1500; number++) await call(number)
  expect(heard.folderOf('toolu_1499')).toBe('/code')
  expect(heard.folderOf('toolu_600')).toBe('/code')
  expect(heard.folderOf('toolu_0')).toBeUndefined()
})
