import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Options, query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { ask, planSteps, singleQuestion, steps, subagents, turns } from '@holdpoint/demo-model/scenarios'
import { type Script, use } from '@holdpoint/demo-model/script'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { claudeEnvironment, launch } from '@holdpoint/testing/real-claude'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { startEmbedding } from './fixtures/embedding.ts'

/** A program that runs the real Claude Code on a script, with Holdpoint in it. */
async function startProgram(script: Script) {
  const embedding = await startEmbedding()
  const home = join(embedding.root, 'home')
  await mkdir(home)
  const model = await startDemoModel({ script })
  const base: Options = { ...launch, cwd: embedding.cwd, env: claudeEnvironment({ home, url: model.url }) }
  return Object.assign(embedding, {
    model,
    query: (prompt: string, options: Options) => query({ prompt, options: { ...base, ...options } }),
    file: (name: string) => readFile(join(embedding.cwd, name), 'utf8').catch(() => undefined),
    async [Symbol.asyncDispose]() {
      await model.close()
      await embedding.holdpoint.close()
      await rm(embedding.root, { recursive: true, force: true, maxRetries: 10 })
    },
  })
}

async function drain(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = []
  try {
    for await (const message of messages) all.push(message)
  } catch (error) {
    // The SDK throws after the result of a turn that was stopped, where the prompt is a text and nothing can follow.
    if (all.at(-1)?.type !== 'result') throw error
  }
  return all
}

const write = (name: string) => use('Bash', { command: `echo ran >> ${name}` })

it.concurrent('asks a person, runs what was allowed, once, and shows the conversation', async () => {
  await using program = await startProgram(steps([use('Bash', { command: 'ls' }), write('one.txt'), write('two.txt')]))
  const session = program.holdpoint.session({ cwd: program.cwd })
  const running = drain(program.query('Make two files.', session.options))
  const first = await program.ask(session)
  expect(first.tool?.input).toMatchObject({ command: 'echo ran >> one.txt' })
  expect(await program.read(session)).toMatchObject({ state: 'assistant_turn', openAsks: 1 })
  await program.answer(first, { kind: 'allow' })
  const second = await until(async () => {
    const next = await program.ask(session)
    return next.id === first.id ? undefined : next
  }, 'the second ask')
  await program.answer(second, { kind: 'deny', message: 'One is enough.' })
  const messages = await running
  expect(await program.file('one.txt')).toBe('ran\n')
  expect(await program.file('two.txt')).toBeUndefined()

  await until(async () => (await program.read(session)).state === 'user_turn', 'the end of the turn')
  const { vendorSessionId, frozen } = await program.read(session)
  expect(frozen).toBeUndefined()
  expect(vendorSessionId).toBe(messages[0]?.session_id)
  const items = (await program.items(session)).filter((item) => item.type !== 'ask')
  expect(items).toMatchObject([
    { type: 'message', role: 'user', text: 'Make two files.' },
    { type: 'tool-call', input: { command: 'ls' } },
    { type: 'tool-result', isError: false },
    { type: 'tool-call', toolUseId: first.toolUseId },
    { type: 'tool-result', toolUseId: first.toolUseId, isError: false },
    { type: 'tool-call', toolUseId: second.toolUseId },
    {
      type: 'tool-result',
      toolUseId: second.toolUseId,
      isError: true,
      text: expect.stringContaining('One is enough.'),
    },
    { type: 'message', role: 'assistant', text: 'done' },
  ])
})

it.concurrent('has questions answered, and subagents ask in their own name', async () => {
  await using program = await startProgram(
    subagents([{ prompt: 'task one', steps: [ask(singleQuestion), write('one.txt')], end: 'sub done' }]),
  )
  const session = program.holdpoint.session({ cwd: program.cwd })
  const running = drain(program.query('Send somebody.', session.options))
  for (;;) {
    const next = await Promise.race([running.then(() => undefined), program.ask(session)])
    if (!next) break
    if (next.kind === 'approval') expect(next).toMatchObject({ subagentName: 'general-purpose' })
    const answers = [{ question: 0, selected: [singleQuestion.options[0]?.label] }]
    const answer = next.kind === 'question' ? { kind: 'answer', answers } : { kind: 'allow' }
    expect((await program.answer(next, answer)).status).toBe(200)
    if (next.kind === 'approval') break
  }
  await running
  expect(await program.file('one.txt')).toBe('ran\n')
})

it.concurrent('goes on with the same conversation in the next life of the program', async () => {
  await using program = await startProgram(steps([write('one.txt')]))
  const first = program.holdpoint.session({ cwd: program.cwd })
  const running = drain(program.query('Remember the word heron.', first.options))
  await program.answer(await program.ask(first), { kind: 'allow' })
  await running
  const holdpoint = await program.again()

  const second = holdpoint.session({ resume: first.id })
  const { vendorSessionId } = await second.ready
  expect(vendorSessionId).toBeDefined()
  const resumed = drain(program.query('Again.', { ...second.options, resume: vendorSessionId }))
  await program.answer(await program.ask(second), { kind: 'allow' })
  await resumed
  expect(await program.file('one.txt')).toBe('ran\nran\n')
  expect(JSON.stringify(program.model.requests.at(-1)?.messages)).toContain('heron')
  expect(await program.read(second)).toMatchObject({ id: first.id, epoch: 2, vendorSessionId })
})

it.concurrent('takes messages from people where the program does, one turn after the other', async () => {
  await using program = await startProgram(turns(steps([write('one.txt')]), steps([write('two.txt')])))
  const queries: Promise<unknown>[] = []
  const session = program.holdpoint.session({
    cwd: program.cwd,
    onMessage({ text }) {
      const resume = session.vendorSessionId
      queries.push(drain(program.query(text, { ...session.options, ...(resume !== undefined && { resume }) })))
    },
  })
  await session.ready
  const transport = program.holdpoint.transport()
  const said: StreamEvent[] = []
  const onEvent = (event: StreamEvent) => void said.push(event)
  const first = transport.sendMessage(session.id, 'The first.', { onEvent })
  const ask = await program.ask(session)
  // Written while the agent works: it waits for its turn.
  const second = transport.sendMessage(session.id, 'The second.', { onEvent: () => {} })
  await until(async () => (await program.read(session)).queuedMessages === 1, 'the second message')
  expect(await transport.approveTool(session.id, ask.toolUseId ?? '')).toEqual({ ok: true })
  await first
  expect(said.at(-1)).toEqual({ type: 'done', data: { sessionId: session.id } })
  await program.answer(await program.ask(session), { kind: 'allow' })
  await second
  await Promise.all(queries)
  expect([await program.file('one.txt'), await program.file('two.txt')]).toEqual(['ran\n', 'ran\n'])
  const written = (await program.items(session)).filter((item) => item.type === 'message' && item.role === 'user')
  expect(written).toMatchObject([
    { text: 'The first.', status: 'sent' },
    { text: 'The second.', status: 'sent' },
  ])
})

it.concurrent('is interrupted by people who can reach its query', async () => {
  await using program = await startProgram(steps([write('one.txt')]))
  const session = program.holdpoint.session({ cwd: program.cwd })
  const running = drain(session.attach(program.query('Go.', session.options)))
  const open = await program.ask(session)
  expect((await program.call('POST', `/api/sessions/${session.id}/interrupt`)).status).toBe(202)
  expect(await program.settled(open)).toMatchObject({ kind: 'withdrawn', reason: 'interrupted' })
  expect((await running).at(-1)).toMatchObject({ type: 'result', subtype: 'error_during_execution' })
  expect(await program.file('one.txt')).toBeUndefined()
  expect((await program.read(session)).state).toBe('user_turn')
})

it.concurrent('asks for everything where that is wanted', async () => {
  const look = use('Bash', { command: 'ls' })
  const task = { prompt: 'task one', steps: [look, write('one.txt')] }
  const inSubagent = subagents([task])
  const inMain = steps([[look, write('two.txt')], ask(singleQuestion), ...planSteps('# A plan')])
  await using program = await startProgram(turns(inSubagent, inMain))
  const session = program.holdpoint.session({ cwd: program.cwd, gate: 'everything' })
  const asked: string[] = []
  async function answerUntil(over: Promise<unknown>) {
    for (;;) {
      const next = await Promise.race([over.then(() => undefined), program.ask(session)])
      if (!next) return
      asked.push(next.tool?.name ?? '')
      const answers = [{ question: 0, selected: [singleQuestion.options[0]?.label] }]
      const answer = next.kind === 'question' ? { kind: 'answer', answers } : { kind: 'allow' }
      expect((await program.answer(next, answer)).status).toBe(200)
    }
  }
  await answerUntil(drain(program.query('Send somebody.', session.options)))
  expect(asked.splice(0)).toEqual(['Agent', 'Bash', 'Bash'])
  const resume = session.vendorSessionId
  await answerUntil(drain(program.query('Do it.', { ...session.options, ...(resume !== undefined && { resume }) })))
  expect(asked).toEqual(['Bash', 'Bash', 'AskUserQuestion', 'EnterPlanMode', 'Write', 'ExitPlanMode'])
  expect((await program.read(session)).frozen).toBeUndefined()
})

it.concurrent('T38 goes on with a plan in the mode that was chosen, also where the program has attached no query', async () => {
  await using program = await startProgram(
    steps([...planSteps('# A plan'), use('Bash', { command: 'touch made.txt' })]),
  )
  const session = program.holdpoint.session({ cwd: program.cwd })
  const running = drain(program.query('Go.', { ...session.options, permissionMode: 'acceptEdits' }))
  await program.answer(await program.ask(session), { kind: 'allow', permissionMode: 'default' })
  const next = await program.ask(session)
  expect(next.context.command).toBe('touch made.txt')
  await program.answer(next, { kind: 'deny' })
  await running
  expect(await program.file('made.txt')).toBeUndefined()
})

it.concurrent('[I4] allows nothing where every call has to ask and the program has left our hooks out', async () => {
  await using program = await startProgram(steps([write('one.txt')]))
  const session = program.holdpoint.session({ cwd: program.cwd, gate: 'everything' })
  const mine = { Stop: [{ hooks: [async () => ({})] }] }
  await drain(program.query('Go.', { ...session.options, hooks: mine }))
  expect(await program.file('one.txt')).toBeUndefined()
  await until(async () => (await program.items(session)).some(({ type }) => type === 'notice'), 'the notice')
})

it.concurrent('[T62, T65, T70] where everything has to ask, nothing else has a say, and asks have the folder of their call', async () => {
  const commands = ['cd sub', 'echo ran >> one.txt', 'touch .claude/x', 'ls &']
  await using program = await startProgram(steps(commands.map((command) => use('Bash', { command }))))
  await mkdir(join(program.cwd, 'sub', '.claude'), { recursive: true })
  const decision = { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } }
  const rival = { type: 'command', command: `echo '${JSON.stringify({ hookSpecificOutput: decision })}'` }
  const settings = { permissions: { allow: ['Bash'] }, hooks: { PermissionRequest: [{ hooks: [rival] }] } }
  await mkdir(join(program.root, 'home', '.claude'))
  await writeFile(join(program.root, 'home', '.claude', 'settings.json'), JSON.stringify(settings))
  const session = program.holdpoint.session({ cwd: program.cwd, gate: 'everything' })
  const mode: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
  const running = drain(program.query('Go.', { ...mode, settingSources: ['user'], ...session.options }))
  const seen: (readonly [unknown, string | undefined])[] = []
  for (const command of commands) {
    const ask = await until(async () => {
      const next = await program.ask(session)
      return next.tool?.input.command === command ? next : undefined
    }, command)
    seen.push([command, ask.context.cwd?.slice(program.cwd.length)])
    const mayRun = command === 'cd sub' || command.includes('one.txt')
    await program.answer(ask, { kind: mayRun ? 'allow' : 'deny' })
  }
  await running
  expect(seen).toEqual([
    ['cd sub', ''],
    ['echo ran >> one.txt', '/sub'],
    ['touch .claude/x', '/sub'],
    ['ls &', '/sub'],
  ])
  expect([await program.file('sub/one.txt'), await program.file('sub/.claude/x')]).toEqual(['ran\n', undefined])
  expect((await program.read(session)).frozen).toBeUndefined()
})

it.concurrent('T35 holds the rules of the policy in its sessions too, in a mode that asks nobody', async () => {
  const bash = (command: string) => use('Bash', { command })
  await using program = await startProgram(
    steps([bash('touch denied.txt'), bash('touch allowed.txt'), bash('touch asked.txt')]),
  )
  for (const effect of ['deny', 'allow', 'ask'] as const) {
    const name = { deny: 'denied', allow: 'allowed', ask: 'asked' }[effect]
    const rule = { effect, agent: 'claude', pattern: `Bash(touch ${name}.txt)`, scope: { kind: 'everywhere' } }
    expect((await program.call('POST', '/api/policy/rules', rule)).status).toBe(201)
  }
  const session = program.holdpoint.session({ cwd: program.cwd })
  const bypass: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }
  const running = drain(program.query('Make three files.', { ...session.options, ...bypass }))
  const asked = await program.ask(session)
  expect(asked.context.command).toBe('touch asked.txt')
  expect([await program.file('denied.txt'), await program.file('allowed.txt')]).toEqual([undefined, ''])
  await program.answer(asked, { kind: 'deny' })
  await running
  expect(await program.file('asked.txt')).toBeUndefined()
})
