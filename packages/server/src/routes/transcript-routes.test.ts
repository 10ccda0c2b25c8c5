import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { projectFolderName } from '@holdpoint/agents/claude/transcript/project-folder'
import type { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startFakeTerminal } from '@holdpoint/testing/terminal/fake-terminal'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { systemClock } from '../system/system-clock.ts'

async function startWorld() {
  const root = await mkdtemp(join(tmpdir(), 'hp-past-'))
  const [config, cwd] = [join(root, 'claude'), join(root, 'project')]
  await mkdir(cwd)
  const store = createMemoryStore()
  const attached = createAttachedAgents({ records: store.records, clock: systemClock, warn: () => {} })
  const world = await startTestGateway({ store, terminals: { attached, projects: join(config, 'projects') } })
  return {
    ...world,
    config,
    cwd,
    async conversation(id: string, { folder = cwd, messages = 2 } = {}) {
      const project = join(config, 'projects', projectFolderName(folder))
      await mkdir(project, { recursive: true })
      const lines = Array.from({ length: messages }, (_, index) => ({
        type: index % 2 === 0 ? 'user' : 'assistant',
        uuid: `${id}-${index}`,
        sessionId: id,
        cwd: folder,
        timestamp: new Date(index * 1000).toISOString(),
        message: { content: [{ type: 'text', text: `message ${index}` }] },
      }))
      await writeFile(join(project, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await rm(root, { recursive: true, force: true })
    },
  }
}

it('lists what Claude Code has on this machine, and reads the thread of one from its end', async () => {
  await using world = await startWorld()
  await world.conversation('one', { messages: 5 })
  const list = await world.api.ok<{ transcripts: object[] }>('GET', '/api/transcripts')
  expect(list.transcripts).toMatchObject([{ id: 'one', cwd: world.cwd, title: 'message 0', size: expect.any(Number) }])
  expect(JSON.stringify(list)).not.toContain('.jsonl')
  type Page = { items: (Item & { text: string })[]; nextBefore?: number }
  const last = await world.api.ok<Page>('GET', '/api/transcripts/one/items?limit=3')
  expect(last.items.map(({ text }) => text)).toEqual(['message 2', 'message 3', 'message 4'])
  const first = await world.api.ok<Page>('GET', `/api/transcripts/one/items?limit=3&before=${last.nextBefore}`)
  expect(first.items.map(({ text }) => text)).toEqual(['message 0', 'message 1'])
  expect(first).not.toHaveProperty('nextBefore')
  expect((await world.api.call('GET', '/api/transcripts/none/items')).status).toBe(404)
  expect((await world.api.call('GET', '/api/transcripts/..%2fone/items')).status).toBe(404)
  expect((await world.api.call('GET', '/api/transcripts?limit=0')).status).toBe(422)
})

it('[I8] shows them to owners of the whole gateway alone', async () => {
  await using world = await startWorld()
  const { session } = await world.session()
  for (const role of ['approver', 'viewer', 'raiser'] as const) {
    const { api } = await world.credential({ role })
    expect((await api.call('GET', '/api/transcripts')).status).toBe(403)
  }
  const { api } = await world.credential({ role: 'owner', sessionIds: [session.id] })
  expect((await api.call('GET', '/api/transcripts/one/items')).status).toBe(403)
})

it('goes on with one as a session, in its folder, and a second time as the same session', async () => {
  await using world = await startWorld()
  await world.conversation('one')
  const start = { agent: 'synthetic', resumeTranscript: 'one', prompt: 'go on' }
  const session = await world.api.ok<Session>('POST', '/api/sessions', start)
  expect(session).toMatchObject({ cwd: world.cwd, vendorSessionId: 'one', epoch: 1 })
  expect((await world.synthetic.agentOf(session.id)).start.resume).toBe('one')
  const twice = await world.api.call<{ error: { code: string } }>('POST', '/api/sessions', start)
  expect([twice.status, twice.body.error.code]).toEqual([409, 'session_alive'])
  await world.api.ok('DELETE', `/api/sessions/${session.id}`)
  expect(await world.api.ok<Session>('POST', '/api/sessions', start)).toMatchObject({ id: session.id, epoch: 2 })
})

it.each([
  ['there is none', 'none', 404],
  ['its folder is gone', 'lost', 422],
  ['it is a path', '../one', 422],
])('starts nothing where %s', async (_, resumeTranscript, status) => {
  await using world = await startWorld()
  await world.conversation('lost', { folder: '/no/such/folder' })
  const reply = await world.api.call('POST', '/api/sessions', { agent: 'synthetic', resumeTranscript })
  expect(reply.status).toBe(status)
  expect(await world.events()).toBe(0)
})

it('starts nothing while a terminal has the conversation open', async () => {
  await using world = await startWorld()
  await world.conversation('open-one')
  await using _ = await startFakeTerminal({ ...world, id: 'open-one' })
  const reply = await world.api.call('POST', '/api/sessions', { agent: 'synthetic', resumeTranscript: 'open-one' })
  expect(reply).toMatchObject({ status: 409, body: { error: { code: 'session_alive' } } })
})
