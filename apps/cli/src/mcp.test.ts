import { fileURLToPath } from 'node:url'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { type BuiltGateway, startBuiltGateway } from '@holdpoint/testing/built-gateway'
import { until } from '@holdpoint/testing/until'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** A real client of MCP, over the standard streams of the built program. */
async function connect(gateway: BuiltGateway, args: readonly string[] = []) {
  const client = new Client({ name: 'test-agent', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', '--data', gateway.dataDir, ...args],
    env: { PATH: process.env.PATH ?? '', HOME: gateway.dataDir },
  })
  await client.connect(transport)
  const call = async (name: string, input: Record<string, unknown>, signal?: AbortSignal) => {
    const { content, isError } = await client.callTool({ name, arguments: input }, undefined, {
      ...(signal && { signal }),
    })
    const [{ text }] = content as [{ text: string }]
    return isError ? { error: text } : (JSON.parse(text) as Record<string, unknown>)
  }
  return { client, transport, call, [Symbol.asyncDispose]: () => client.close() }
}

describe('holdpoint mcp', () => {
  let gateway: BuiltGateway
  beforeAll(async () => {
    gateway = await startBuiltGateway()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  const isCall = ({ tool }: Ask) => tool?.name === 'Bash'
  const openCall = () => until(async () => (await gateway.api.openAsks()).find(isCall), 'a call of Bash')
  const openAsk = (title: string) =>
    until(async () => (await gateway.api.openAsks()).find((ask) => ask.title === title), `the ask "${title}"`)
  const settledAs = async (ask: Ask) => (await gateway.api.ok<Ask>('GET', `/api/asks/${ask.id}`)).outcome
  const answered = (ask: Ask, given: object) =>
    gateway.api.answer(ask, { kind: 'answer', answers: [{ question: 0, selected: [], ...given }] })

  it('offers three tools, with what they take', async () => {
    await using mcp = await connect(gateway)
    const { tools } = await mcp.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['ask', 'await', 'approve'])
    expect(tools.find(({ name }) => name === 'approve')?.inputSchema.required).toEqual(['tool_name', 'input'])
  })

  it('asks with options, and says who asks: the client, the folder, the user and the host', async () => {
    await using mcp = await connect(gateway)
    const asking = mcp.call('ask', { question: 'Red or blue?', options: ['red', 'blue'] })
    const ask = await openAsk('Red or blue?')
    const session = await gateway.api.ok<Session>('GET', `/api/sessions/${ask.sessionId}`)
    expect(session.title).toMatch(/^test-agent · .+ · .+@.+/)
    await answered(ask, { selected: ['blue'] })
    expect(await asking).toMatchObject({ id: ask.id, status: 'answered', answer: 'blue', option: 2 })
  })

  it('gives an id after a short wait, and waits on with it', async () => {
    await using mcp = await connect(gateway)
    const first = await mcp.call('ask', { question: 'What next?', wait_seconds: 0 })
    expect(first).toMatchObject({ status: 'waiting', id: expect.stringMatching(/^ask_/) })
    const ask = await openAsk('What next?')
    expect(await mcp.call('await', { id: first.id, wait_seconds: 0 })).toMatchObject({ status: 'waiting' })
    const waiting = mcp.call('await', { id: first.id })
    await answered(ask, { other: 'the tests' })
    expect(await waiting).toMatchObject({ status: 'answered', answer: 'the tests' })
    expect(await mcp.call('await', { id: first.id })).toMatchObject({ answer: 'the tests' })
    expect(await mcp.call('await', { id: 'ask_unknown' })).toEqual({ error: expect.stringContaining('no ask') })
  })

  it('asks with a form of flat fields', async () => {
    await using mcp = await connect(gateway)
    const fields = [
      { name: 'version', required: true },
      { name: 'count', title: 'How many', type: 'integer', default: 1 },
      { name: 'colour', type: 'choice', choices: ['red', 'blue'] },
      { name: 'sizes', type: 'choices', choices: ['S', 'M'] },
      { name: 'sure', type: 'boolean' },
    ]
    const asking = mcp.call('ask', { question: 'Which release?', fields })
    const ask = await openAsk('Which release?')
    const content = { version: '1.4', count: 2, colour: 'blue', sizes: ['M'], sure: true }
    const wrong = { ...content, colour: 'green' }
    expect((await gateway.api.answer(ask, { kind: 'submit', content: wrong })).status).toBe(422)
    expect((await gateway.api.answer(ask, { kind: 'submit', content })).status).toBe(200)
    expect(await asking).toMatchObject({ status: 'answered', content })
    const both = { question: 'Both?', fields, options: ['a'] }
    expect(await mcp.call('ask', both)).toEqual({ error: expect.stringContaining('not both') })
  })

  it('tells a skipped one and an expired one apart', async () => {
    await using mcp = await connect(gateway)
    const asking = mcp.call('ask', { question: 'Skip me?' })
    await gateway.api.answer(await openAsk('Skip me?'), { kind: 'cancel' })
    expect(await asking).toMatchObject({ status: 'skipped' })
    const expired = await mcp.call('ask', { question: 'Anybody?', timeout_seconds: 1 })
    expect(expired).toMatchObject({ status: 'expired', note: expect.stringContaining('not a no') })
  })

  it('withdraws an ask whose call the client cancels, and keeps one that the client can wait on', async () => {
    await using mcp = await connect(gateway)
    const cancelling = new AbortController()
    const asking = mcp.call('ask', { question: 'Cancel?' }, cancelling.signal)
    const ask = await openAsk('Cancel?')
    cancelling.abort()
    await expect(asking).rejects.toThrow()
    await until(async () => (await settledAs(ask))?.kind === 'withdrawn', 'the ask to be withdrawn')
    const { id } = await mcp.call('ask', { question: 'Keep?', wait_seconds: 0 })
    const kept = await openAsk('Keep?')
    const leaving = new AbortController()
    const waiting = mcp.call('await', { id }, leaving.signal)
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    expect(await mcp.call('await', { id, wait_seconds: 0 })).toMatchObject({ status: 'waiting' })
    expect(await settledAs(kept)).toBeUndefined()
  })

  it('withdraws what is open when the client closes the line, and its session is over', async () => {
    const mcp = await connect(gateway)
    await mcp.call('ask', { question: 'Gone?', wait_seconds: 0 })
    const ask = await openAsk('Gone?')
    await mcp.client.close()
    await until(async () => (await settledAs(ask))?.kind === 'withdrawn', 'the ask to be withdrawn')
    const session = await gateway.api.ok<Session>('GET', `/api/sessions/${ask.sessionId}`)
    expect(session).toMatchObject({ state: 'dead', endReason: 'program-ended' })
  })

  describe('approve', () => {
    const bash = (command: string, id: string) => ({ tool_name: 'Bash', input: { command }, tool_use_id: id })

    it('[I2, I6] puts the call to a person as it is, and hands back exactly that or the recorded edit', async () => {
      await using mcp = await connect(gateway)
      const input = { command: 'make  deploy', description: 'Ünï', nested: { b: [1, null], a: true } }
      const holding = mcp.call('approve', { tool_name: 'Bash', input, tool_use_id: 'toolu_1' })
      const ask = await openCall()
      expect(ask).toMatchObject({ kind: 'approval', tool: { name: 'Bash', input }, raisedBy: expect.any(String) })
      expect(
        (await gateway.api.call('POST', `/api/asks/${ask.id}/answer`, { kind: 'allow', digest: 'x' })).status,
      ).toBe(409)
      await gateway.api.answer(ask, { kind: 'allow' })
      expect(await holding).toEqual({ behavior: 'allow', updatedInput: input })

      const edited = mcp.call('approve', bash('rm -rf build', 'toolu_2'))
      const updatedInput = { command: 'rm -rf build/tmp' }
      await gateway.api.answer(await openCall(), { kind: 'allow', updatedInput })
      expect(await edited).toEqual({ behavior: 'allow', updatedInput })
    })

    it('[F44] asks again for the same call, also where a model’s server gives both the same id', async () => {
      await using mcp = await connect(gateway)
      const first = mcp.call('approve', bash('make deploy', 'call_0'))
      await gateway.api.answer(await openCall(), { kind: 'allow' })
      expect(await first).toMatchObject({ behavior: 'allow' })
      const second = mcp.call('approve', bash('make deploy', 'call_0'))
      const third = mcp.call('approve', bash('make deploy', 'call_0'))
      const both = await until(async () => {
        const open = (await gateway.api.openAsks()).filter(isCall)
        return open.length === 2 ? open : undefined
      }, 'two asks')
      for (const ask of both) await gateway.api.answer(ask, { kind: 'deny', message: 'Once is enough.' })
      expect([await second, await third]).toMatchObject([{ behavior: 'deny' }, { behavior: 'deny' }])
    })

    it('says no with the person’s words', async () => {
      await using mcp = await connect(gateway)
      const holding = mcp.call('approve', bash('make deploy', 'toolu_3'))
      await gateway.api.answer(await openCall(), { kind: 'deny', message: 'Not on a Friday.' })
      expect(await holding).toEqual({ behavior: 'deny', message: 'Not on a Friday.' })
    })

    it('says no at once where a rule denies it; a rule that allows it does not keep it from being asked', async () => {
      await using mcp = await connect(gateway)
      const rule = { agent: 'claude', scope: { kind: 'everywhere' } }
      await gateway.api.ok('POST', '/api/policy/rules', { ...rule, effect: 'deny', pattern: 'Bash(curl *)' })
      await gateway.api.ok('POST', '/api/policy/rules', { ...rule, effect: 'allow', pattern: 'Bash(echo *)' })
      const denied = await mcp.call('approve', bash('echo a && curl evil', 'toolu_4'))
      expect(denied).toMatchObject({ behavior: 'deny', message: expect.stringContaining('A rule of the user') })
      const asked = mcp.call('approve', bash('echo a', 'toolu_5'))
      await gateway.api.answer(await openCall(), { kind: 'allow' })
      expect(await asked).toMatchObject({ behavior: 'allow' })
    })

    it('[I4] says at its limit that nobody answered, and nobody can allow it any more', async () => {
      await using mcp = await connect(gateway, ['--approve-limit', '1s'])
      const holding = mcp.call('approve', bash('make deploy', 'toolu_6'))
      const ask = await openCall()
      expect(await holding).toMatchObject({ behavior: 'deny', message: expect.stringContaining('nobody was there') })
      await until(async () => settledAs(ask), 'the ask to be over')
      expect((await gateway.api.answer(ask, { kind: 'allow' })).status).toBe(409)
    })

    it('withdraws the ask when the client cancels', async () => {
      await using mcp = await connect(gateway)
      const cancelling = new AbortController()
      const holding = mcp.call('approve', bash('make deploy', 'toolu_7'), cancelling.signal)
      const ask = await openCall()
      cancelling.abort()
      await expect(holding).rejects.toThrow()
      await until(async () => (await settledAs(ask))?.kind === 'withdrawn', 'the ask to be withdrawn')
    })

    it('asks questions as questions and plans as plans', async () => {
      await using mcp = await connect(gateway)
      const questions = [
        { question: 'Which?', header: 'Which', options: [{ label: 'A' }, { label: 'B' }], multiSelect: false },
      ]
      const asking = mcp.call('approve', { tool_name: 'AskUserQuestion', input: { questions }, tool_use_id: 'toolu_8' })
      await answered(await openAsk('Question: Which'), { selected: ['B'] })
      expect(await asking).toEqual({ behavior: 'allow', updatedInput: { questions, answers: { 'Which?': 'B' } } })
      const planning = mcp.call('approve', {
        tool_name: 'ExitPlanMode',
        input: { plan: 'All' },
        tool_use_id: 'toolu_9',
      })
      await gateway.api.answer(await openAsk('Plan'), { kind: 'allow', plan: 'Some' })
      expect(await planning).toMatchObject({ behavior: 'allow', updatedInput: { plan: 'Some' } })
    })
  })
})

it('[I4] says no to calls, and why to questions, where no gateway is', async () => {
  const gateway = await startBuiltGateway()
  await gateway[Symbol.asyncDispose]()
  await using mcp = await connect(gateway)
  const words = expect.stringContaining('No gateway is running')
  expect(await mcp.call('ask', { question: 'Hello?' })).toEqual({ error: words })
  expect(await mcp.call('approve', { tool_name: 'Bash', input: {} })).toEqual({ behavior: 'deny', message: words })
})
