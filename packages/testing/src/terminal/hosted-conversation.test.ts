import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoModel, startDemoModel } from '@holdpoint/demo-model/demo-model'
import { steps, subagents } from '@holdpoint/demo-model/scenarios'
import { type Script, say, use } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltGateway, startBuiltGateway } from '../built-gateway.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'
import { answerFirstRun, claudeExecutable } from './claude-tui.ts'
import { viewHosted } from './hosted-client.ts'

const touch = (name: string) => use('Bash', { command: `touch ${name}`, description: 'make a file' })
const subtask = subagents([{ prompt: 'make the file', steps: [touch('by-subagent.txt')] }])
const scripts: Record<string, Script> = {
  one: steps([touch('one.txt')]),
  two: steps([touch('two.txt')]),
  three: steps([touch('three.txt')]),
  subagent: subtask,
  note: steps([use('mcp__notes__add_note', { text: 'buy milk', tags: ['a', 'b'] })]),
  odd: steps([use('mcp__notes__odd', { text: 'buy milk' })]),
}
/** An MCP server with a tool whose dialog can be read, and one whose dialog gives it another name. */
const NOTES = `
import { createInterface } from 'node:readline'
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
const inputSchema = { type: 'object', properties: { text: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } }
const tools = [
  { name: 'add_note', description: 'Adds a note', inputSchema },
  { name: 'odd', title: 'Something else', annotations: { title: 'Something else' }, description: 'Adds a note', inputSchema },
]
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    const { protocolVersion } = params
    send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } })
  } else if (method === 'tools/list') send(id, { tools })
  else if (method === 'tools/call') send(id, { content: [{ type: 'text', text: 'noted' }] })
  else if (id !== undefined) send(id, {})
})
`

let root: string
let model: DemoModel
let gateway: BuiltGateway
let count = 0

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'hp-talk-')))
  const server = join(root, 'notes.mjs')
  await writeFile(server, NOTES)
  const servers = { notes: { command: process.execPath, args: [server] } }
  await writeFile(join(root, 'mcp.json'), JSON.stringify({ mcpServers: servers }))
  model = await startDemoModel({
    script: (call) => {
      if (call.subagent) return subtask(call)
      return scripts[/scenario:(\w+)/.exec(call.lastUserText)?.[1] ?? '']?.(call) ?? say('ok')
    },
  })
  gateway = await startBuiltGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await model.close()
  await rm(root, { recursive: true, force: true, maxRetries: 10 })
})

async function place() {
  const home = join(root, `home-${++count}`)
  const cwd = join(root, `project-${count}`)
  await Promise.all([mkdir(home), mkdir(cwd)])
  const env: Record<string, string> = { ...claudeEnvironment({ home, url: model.url }), PS1: 'ready> ' }
  await answerFirstRun(env, cwd)
  return { cwd, env }
}

/** A program in a hosted terminal, without hooks. */
async function hosted({ cwd, env }: Awaited<ReturnType<typeof place>>, [command, ...args]: readonly string[]) {
  const body = { command, args, cwd, cols: 100, rows: 40, env }
  const { id } = await gateway.api.ok<Session>('POST', '/api/terminals', body)
  const screen = await viewHosted({ url: gateway.url, token: gateway.token, sessionId: id })
  const items = async () =>
    (await gateway.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items?limit=200`)).items
  return {
    id,
    screen,
    items,
    session: () => gateway.api.ok<Session>('GET', `/api/sessions/${id}`),
    /** Enter comes by itself: in one piece with the text it would be part of a paste. */
    async say(text: string) {
      screen.type(text)
      await screen.waitFor(text)
      screen.type('\r')
    },
    ask: (title: string) =>
      until(
        async () => (await gateway.api.openAsks(id)).find((open) => open.title.includes(title)),
        `an ask: ${title}`,
      ),
    allow: async (ask: Ask) => expect(await gateway.api.answer(ask, { kind: 'allow' })).toMatchObject({ status: 200 }),
    asks: () => gateway.api.openAsks(id),
    hasSaid: (text: string) =>
      until(async () => (await items()).some((item) => item.type === 'message' && item.text.includes(text)), text),
    notices: async () => (await items()).flatMap((item) => (item.type === 'notice' ? [item.text] : [])),
    file: (name: string) => readFile(join(cwd, name), 'utf8').catch(() => undefined),
    conversation: (method: 'GET' | 'POST', marker?: string) =>
      gateway.api.call(method, `/api/terminals/${id}/conversation`, marker === undefined ? undefined : { marker }),
  }
}

const QUESTION = 'Do you want to proceed?'
const CLAUDE = () => [claudeExecutable(), '--permission-mode', 'default']
const toldLast = (text: string) =>
  model.requests.map(({ messages }) => JSON.stringify(messages)).findLast((told) => told.includes(text)) ?? ''

describe('the conversation of Claude Code in a hosted terminal', () => {
  it.concurrent('is found by a marker where a shell has started it, and followed from then on', async () => {
    const talk = await hosted(await place(), ['bash', '--norc', '--noprofile'])
    const { screen } = talk
    await screen.waitFor('ready>')
    const found = (await talk.conversation('GET')).body as { state: string; marker: string; message: string }
    expect(found).toMatchObject({ state: 'none', message: expect.stringContaining(found.marker) })
    const refused = (reason: string) => ({ status: 422, body: { error: { code: 'agent_refused', reason } } })
    expect(await talk.conversation('POST', found.marker)).toMatchObject(refused('no_prompt'))
    expect(await talk.conversation('POST', 'go')).toMatchObject({
      status: 422,
      body: { error: { code: 'invalid_request' } },
    })

    screen.type(`${CLAUDE().join(' ')}\r`)
    await screen.waitFor('manual mode')
    await screen.frame(({ type, state }) => type === 'conversation' && state === 'unknown', 'that it is not known')
    await talk.say('scenario:one')
    await screen.waitFor(QUESTION)
    // The gateway reads the screen a moment later than we do.
    const refusal = async () => {
      const { status, body } = await talk.conversation('POST', found.marker)
      expect(status).toBe(422)
      return (body as { error: { reason: string } }).error.reason
    }
    await until(async () => (await refusal()) === 'dialog', 'the refusal')
    // Nothing of it is known, and so nothing can be asked here. That is said, and it can still be found.
    expect(screen.frames.findLast(({ type }) => type === 'conversation')).toMatchObject({ state: 'unknown' })
    await until(async () => (await talk.session()).mayWait, 'that it may be waiting')
    expect(await talk.notices()).toEqual([expect.stringContaining('may be waiting for an answer')])
    expect(screen.frames.findLast(({ type }) => type === 'conversation')).toMatchObject({ state: 'unknown' })
    await until(async () => {
      // Pressed again for a dialog that did not listen yet.
      screen.type('1')
      return until(() => !screen.screen().includes(QUESTION), 'the dialog to go', 1000).catch(() => false)
    }, 'the dialog to be answered')
    await screen.waitFor('done')
    await until(async () => (await talk.session()).mayWait === false, 'that it does not wait any more')
    expect(await talk.asks()).toEqual([])
    // Its turn is over, which the screen alone tells.
    await until(async () => (await talk.session()).state === 'user_turn', 'the end of its turn')

    const reply = await until(async () => {
      const { status, body } = await talk.conversation('POST', found.marker)
      return status !== 422 && { status, body }
    }, 'the turn to be over')
    expect(reply).toMatchObject({ status: 200, body: { found: true, vendorSessionId: expect.any(String) } })
    await screen.frame(({ type, state }) => type === 'conversation' && state === 'known', 'that it is known')
    await talk.hasSaid('scenario:one')
    await talk.hasSaid(found.message)
    await screen.waitFor(/ok\n[\s\S]*manual mode/)
    await talk.say('scenario:two')
    await talk.allow(await talk.ask('touch two.txt'))
    await until(async () => (await talk.file('two.txt')) === '', 'the file')
    expect(await talk.notices()).toHaveLength(1)
    screen.close()
  })

  it.concurrent('goes on in another file after /clear, and with --continue in that one again', async () => {
    const where = await place()
    const first = await hosted(where, CLAUDE())
    await first.screen.waitFor('manual mode')
    await first.say('scenario:one')
    await first.allow(await first.ask('touch one.txt'))
    await first.screen.waitFor('done')
    const { vendorSessionId: before } = await first.session()
    first.screen.type('/clear')
    await first.screen.waitFor('/clear')
    first.screen.type('\r')
    const after = await until(async () => {
      const { vendorSessionId } = await first.session()
      return vendorSessionId !== before && vendorSessionId
    }, 'another conversation')
    await first.say('scenario:two')
    await first.allow(await first.ask('touch two.txt'))
    await first.screen.waitFor('done')
    await first.hasSaid('scenario:two')
    expect(await first.notices()).toEqual([])
    await gateway.api.ok('DELETE', `/api/sessions/${first.id}`)
    await first.screen.closed()

    const second = await hosted(where, [...CLAUDE(), '--continue'])
    await second.screen.waitFor('manual mode')
    await second.say('scenario:three')
    await second.allow(await second.ask('touch three.txt'))
    await until(async () => (await second.file('three.txt')) === '', 'the file')
    expect(await second.session()).toMatchObject({ vendorSessionId: after })
    await second.hasSaid('scenario:two')
    expect(await second.notices()).toEqual([])
    second.screen.close()
  })

  it.concurrent('brings dialogs of subagents and of MCP tools here; F38 one that fits no call is left alone', async () => {
    const talk = await hosted(await place(), [...CLAUDE(), '--mcp-config', join(root, 'mcp.json')])
    const { screen } = talk
    await screen.waitFor('manual mode')
    await talk.say('scenario:note')
    const note = await talk.ask('add_note')
    expect(note).toMatchObject({
      tool: { name: 'mcp__notes__add_note', input: { text: 'buy milk', tags: ['a', 'b'] } },
    })
    await talk.allow(note)
    await screen.waitFor('done')

    await talk.say('scenario:subagent')
    const open = await talk.ask('touch by-subagent.txt')
    expect(open).toMatchObject({ tool: { name: 'Bash' }, subagent: expect.any(String) })
    const no = { kind: 'deny', message: 'not in this folder' }
    expect(await gateway.api.answer(open, no)).toMatchObject({ status: 200 })
    await until(() => toldLast('not in this folder') !== '', 'the subagent to be told')
    await screen.waitFor(/finished[\s\S]*manual mode/)
    expect(await talk.file('by-subagent.txt')).toBeUndefined()
    expect(await talk.notices()).toEqual([])

    await talk.say('scenario:odd')
    await screen.waitFor(QUESTION)
    await until(async () => (await talk.notices()).length > 0, 'the notice')
    expect(await talk.notices()).toEqual([expect.stringContaining('waits in its terminal')])
    expect(await talk.asks()).toEqual([])
    expect(screen.screen()).toContain(QUESTION)
    screen.close()
  })
})
