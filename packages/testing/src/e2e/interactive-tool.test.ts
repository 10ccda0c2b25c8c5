import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InteractiveTool } from '@holdpoint/agents/claude/asks/interactive-tool'
import { createGatewayClient } from '@holdpoint/client/create-gateway-client'
import { createDirectTransport } from '@holdpoint/client/direct-transport'
import { createHttpTransport } from '@holdpoint/client/http-transport'
import type { Transport } from '@holdpoint/client/transport'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps } from '@holdpoint/demo-model/scenarios'
import { use } from '@holdpoint/demo-model/script'
import { createHoldpoint } from '@holdpoint/embed'
import { pickFile } from '@holdpoint/examples/interactive-tools/pick-file'
import { startAgent } from '@holdpoint/examples/interactive-tools/program'
import type { FormPromptEvent } from '@holdpoint/schema/turn-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { claudeEnvironment } from '../real-claude.ts'
import { TEST_TOKEN } from '../test-gateway.ts'
import { until } from '../until.ts'
import { type FilesGateway, startFilesGateway } from './files-gateway.ts'

const INPUT = { folder: 'notes', prompt: 'Which day?' }
let real: FilesGateway

beforeAll(async () => {
  real = await startFilesGateway([pickFile])
})
afterAll(() => real[Symbol.asyncDispose]())

const WAYS: Record<string, () => Promise<Transport>> = {
  http: async () => createHttpTransport({ baseUrl: real.gateway.url, token: TEST_TOKEN, WebSocket }),
  async direct() {
    const { devices } = real.gateway
    const code = devices.newCode({ role: 'approver' }).code
    const redeemed = await devices.redeem(code, { name: 'in the same process', kind: 'bearer' })
    if (!redeemed) throw new Error('the code was not taken')
    return createDirectTransport(real.gateway.direct(redeemed.device.id))
  },
}

describe('the file picker of the guide, with the real agent', () => {
  it.each(Object.keys(WAYS))('is asked as a list of files and gets the one that was picked, over %s', async (way) => {
    const session = await real.inIdleSession(INPUT)
    const transport = await WAYS[way]?.()
    if (!transport) throw new Error(`no way ${way}`)
    const client = createGatewayClient({ transport })
    try {
      const ask = await until(() => client.getState().asks.find((open) => open.sessionId === session.id), 'the ask')
      expect(ask).toMatchObject({
        kind: 'form',
        title: `Pick a file in ${join(session.cwd, 'notes')}`,
        tool: { name: 'mcp__files__pick_file', input: INPUT },
        form: { message: 'Which day?', schema: { properties: { file: { enum: ['monday.txt', 'tuesday.txt'] } } } },
      })
      const wrong = await client.answer(ask, { kind: 'submit', digest: ask.digest, content: { file: '../secret' } })
      expect(wrong).toMatchObject({ ok: false, code: 'invalid_answer' })
      const content = { file: 'tuesday.txt' }
      expect(await client.answer(ask, { kind: 'submit', digest: ask.digest, content })).toMatchObject({ ok: true })
    } finally {
      client.close()
    }
    expect(await session.told()).toContain(`The person picked ${join(session.cwd, 'notes', 'tuesday.txt')}`)
    // What ran is what the answer was worked into (I6): no alarm.
    expect((await session.read()).frozen).toBeUndefined()
  })

  it.each(Object.keys(WAYS))('is a form in the turn’s stream, filled in by its call, over %s', async (way) => {
    const session = await real.inIdleSession(INPUT)
    const transport = await WAYS[way]?.()
    if (!transport) throw new Error(`no way ${way}`)
    const asked: FormPromptEvent[] = []
    const turn = transport.joinTurn(session.id, {
      onEvent: (event) => void (event.type === 'form_prompt' && asked.push(event.data)),
    })
    const prompt = await until(() => asked[0], 'the form')
    expect(prompt).toMatchObject({
      toolName: 'mcp__files__pick_file',
      form: { message: 'Which day?', schema: { properties: { file: { enum: ['monday.txt', 'tuesday.txt'] } } } },
    })
    expect(JSON.parse(prompt.input)).toEqual(INPUT)
    const fill = (file: string) => transport.submitForm(session.id, prompt.toolCallId, { file })
    expect(await fill('../secret')).toMatchObject({ ok: false, code: 'invalid' })
    expect(await fill('tuesday.txt')).toEqual({ ok: true })
    await turn
    expect(await session.told()).toContain(`The person picked ${join(session.cwd, 'notes', 'tuesday.txt')}`)
  })

  it('does not run when the person declines', async () => {
    const session = await real.inIdleSession(INPUT)
    const ask = await session.ask()
    expect((await real.api.answer(ask, { kind: 'decline' })).status).toBe(200)
    const told = await session.told()
    expect(told).toContain('The user chose not to answer this.')
    expect(told).not.toContain('The person picked')
  })

  it.each([
    ['picks for the person', { ...INPUT, path: '/etc/passwd' }, 'Leave the path out'],
    ['names a folder without files', { folder: 'nowhere', prompt: '?' }, 'There is no file to pick'],
  ])('tells the agent no, without asking anybody, when it %s', async (_, input, words) => {
    const session = await real.session(input)
    expect(await session.told()).toContain(words)
    const { asks } = await real.api.ok<{ asks: unknown[] }>('GET', `/api/asks?status=settled&sessionId=${session.id}`)
    expect(asks).toEqual([])
  })

  it('asks in a mode that asks for nothing else', async () => {
    const session = await real.session(INPUT, { permissionMode: 'bypassPermissions' })
    await real.api.answer(await session.ask(), { kind: 'submit', content: { file: 'monday.txt' } })
    expect(await session.told()).toContain('monday.txt')
  })

  it("asks though the agent's own settings allow the tool", async () => {
    const settings = { permissions: { allow: ['mcp__files__pick_file'] } }
    await writeFile(join(real.home, '.claude', 'settings.json'), JSON.stringify(settings))
    const session = await real.session(INPUT)
    await real.api.answer(await session.ask(), { kind: 'submit', content: { file: 'monday.txt' } })
    expect(await session.told()).toContain('monday.txt')
  })

  it('is still there after a restart of the gateway, and its answer reaches the agent', async () => {
    const session = await real.inIdleSession(INPUT)
    const before = await session.ask()
    await real.restart()
    const after = await session.ask()
    expect(after).toMatchObject({ id: before.id, digest: before.digest })
    await real.api.answer(after, { kind: 'submit', content: { file: 'monday.txt' } })
    expect(await session.told()).toContain(join(session.cwd, 'notes', 'monday.txt'))
    expect((await session.read()).frozen).toBeUndefined()
  })
})

it.concurrent.each<[string, (notes: string) => Promise<void>, readonly InteractiveTool[]]>([
  ['another list of files', (notes) => writeFile(join(notes, 'wednesday.txt'), ''), [pickFile]],
  ['no such entry any more', async () => {}, []],
])('I4 tells the agent no when a restart finds %s, and takes no answer to what was shown', async (_, change, tools) => {
  await using gateway = await startFilesGateway([pickFile])
  const session = await gateway.session(INPUT)
  const ask = await session.ask()
  await change(join(session.cwd, 'notes'))
  await gateway.restart(tools)
  const told = await session.told()
  expect(told).toContain('It was not allowed.')
  expect(told).not.toContain('The person picked')
  const late = await gateway.api.answer(ask, { kind: 'submit', content: { file: 'monday.txt' } })
  expect(late).toMatchObject({ status: 409, body: { error: { code: 'already_settled' } } })
})

it.concurrent('I6 raises the alarm when the tool runs with something else than the answer was worked into', async () => {
  let made = 0
  const fickle: InteractiveTool = {
    ...pickFile,
    kind: 'form',
    fromOutcome: ({ input }) => ({ ...input, path: `another one each time: ${++made}` }),
  }
  await using gateway = await startFilesGateway([fickle])
  const session = await gateway.session(INPUT)
  await gateway.api.answer(await session.ask(), { kind: 'submit', content: { file: 'monday.txt' } })
  await until(async () => (await session.read()).frozen, 'the alarm')
})

it.concurrent('works the same for an agent in the program itself, with the tool in the program too', async () => {
  const root = await mkdtemp(join(tmpdir(), 'hp-picker-'))
  const cwd = join(root, 'project')
  await mkdir(join(cwd, 'notes'), { recursive: true })
  await mkdir(join(root, 'home'))
  await writeFile(join(cwd, 'notes', 'monday.txt'), '')
  const model = await startDemoModel({ script: steps([use('mcp__files__pick_file', INPUT)]) })
  const holdpoint = await createHoldpoint({
    data: join(root, 'data'),
    logLevel: 'silent',
    interactiveTools: [pickFile],
  })
  const client = createGatewayClient({ transport: holdpoint.transport() })
  try {
    const env = claudeEnvironment({ home: join(root, 'home'), url: model.url })
    const { session, messages } = startAgent(holdpoint, cwd, 'Ask me for a file.', { env })
    const said: string[] = []
    const running = (async () => {
      for await (const message of messages) said.push(JSON.stringify(message))
    })()
    const ask = await until(() => client.getState().asks.find((open) => open.sessionId === session.id), 'the ask')
    expect(ask).toMatchObject({ kind: 'form', form: { message: 'Which day?' }, tool: { input: INPUT } })
    const content = { file: 'monday.txt' }
    expect(await client.answer(ask, { kind: 'submit', digest: ask.digest, content })).toMatchObject({ ok: true })
    await running
    expect(said.join('\n')).toContain(`The person picked ${join(cwd, 'notes', 'monday.txt')}`)
    expect(client.getState().sessions.get(session.id)?.frozen).toBeUndefined()
  } finally {
    client.close()
    await holdpoint.close()
    await model.close()
    await rm(root, { recursive: true, force: true, maxRetries: 10 })
  }
})
