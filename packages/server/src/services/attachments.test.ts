import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Device } from '@holdpoint/schema/device'
import { type AttachmentId, idMaker, type SessionId } from '@holdpoint/schema/id'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it, onTestFinished } from 'vitest'
import { createAttachmentFiles } from './attachment-files.ts'
import { createAttachments } from './attachments.ts'

async function setUp() {
  const parent = await mkdtemp(join(tmpdir(), 'holdpoint-attachments-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const folder = join(parent, 'attachments')
  const newId = idMaker({ now: Date.now, randomBytes })
  return {
    folder,
    attachments: createAttachments({
      bytes: createAttachmentFiles(folder),
      records: createMemoryStore().records,
      newId,
    }),
  }
}

it('gives back the bytes and the type it was given', async () => {
  const { attachments } = await setUp()
  const bytes = Buffer.from([0, 1, 2, 255])
  const id = await attachments.save('image/png', bytes)
  expect(await attachments.read(id)).toEqual({ id, type: 'image/png', bytes })
})

it('T54 keeps files that nobody else can read', async () => {
  const { attachments, folder } = await setUp()
  await attachments.save('text/plain', Buffer.from('x'))
  expect((await stat(folder)).mode & 0o077).toBe(0)
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
})

it.each([
  '../../etc/passwd',
  'att_../../../../etc/passwd',
  'att_0000000000000000000000000/',
  '',
  'ses_00000000000000000000000000',
])('T53 reads nothing for %j', async (id) => {
  const { attachments } = await setUp()
  expect(await attachments.read(id as AttachmentId)).toBeUndefined()
})

it('takes files over HTTP and knows them in a message', async () => {
  await using test = await startTestGateway()
  const { session, agent } = await test.session()
  const upload = (body: string, type: string) =>
    test.api.call<{ id: string; error?: { code: string } }>('POST', '/api/attachments', body, { 'content-type': type })
  const { status, body } = await upload('hello', 'text/plain; charset=utf-8')
  expect(status).toBe(201)
  const path = `/api/sessions/${session.id}/messages`
  expect((await test.api.call('POST', path, { text: 'look', attachments: [body.id] })).status).toBe(202)
  expect(agent.messages).toMatchObject([{ text: 'look', attachments: [body.id] }])
  expect(await upload('', 'text/plain')).toMatchObject({ status: 422 })
  expect(await upload('<script>', 'text/html')).toMatchObject({
    status: 415,
    body: { error: { code: 'wrong_content_type' } },
  })
  const unknown = await test.api.call('POST', path, { text: 'look', attachments: ['att_00000000000000000000000000'] })
  expect(unknown).toMatchObject({ status: 422, body: { error: { code: 'unknown_attachment' } } })
})

it('T11 keeps a picture of an agent once, for those who see its session', async () => {
  const { attachments, folder } = await setUp()
  const [mine, others] = ['ses_1', 'ses_2'] as SessionId[]
  const picture = { type: 'image/png', bytes: Buffer.from([1, 2, 3]) }
  if (!mine || !others) throw new Error('two sessions')
  const id = await attachments.keep(mine, picture)
  expect(await attachments.keep(mine, picture)).toBe(id)
  expect(await attachments.read(id)).toEqual({ id, ...picture })
  const theirs = await attachments.keep(others, picture)
  expect(theirs).not.toBe(id)
  expect(await readdir(folder)).toHaveLength(2)
  const narrow = (sessionId: SessionId) => ({ id: 'dev_1', sessionIds: [sessionId] }) as unknown as Device
  expect(await attachments.isFor(narrow(mine), id)).toBe(true)
  expect(await attachments.isFor(narrow(others), id)).toBe(false)
  await attachments.removeOf(mine)
  expect(await attachments.read(id)).toBeUndefined()
  expect(await attachments.read(theirs)).toEqual({ id: theirs, ...picture })
})
