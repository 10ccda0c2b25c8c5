import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangedFiles, FileDiff } from '@holdpoint/schema/changed-files'
import type { SessionId } from '@holdpoint/schema/id'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { openTestNode } from '@holdpoint/testing/test-store'
import { until } from '@holdpoint/testing/until'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CHANGE_LIMITS, type ChangeStore, createChangeStore } from '../changes/change-store.ts'
import { CHANGES_WAIT_MS } from '../services/changed-files.ts'

let base: string
let cwd: string
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'changed-files-')))
  cwd = join(base, 'project')
  await mkdir(cwd)
  await writeFile(join(cwd, 'a.txt'), 'one\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

const options = () => ({
  folder: join(base, 'changes'),
  leftOut: [],
  leftIn: [],
  home: '/nowhere',
  limits: CHANGE_LIMITS,
  waitMs: 60_000,
})

const paths = (list: ChangedFiles) => list.files.map(({ path, status }) => `${status} ${path}`)

it('lists what was changed, and shows one file, for every role that sees the session and no other', async () => {
  await using test = await startTestGateway({ changes: createChangeStore(options()) })
  const { session, agent } = await test.session({ cwd, prompt: 'Go' })
  const at = `/api/sessions/${session.id}/changes`
  await until(() => agent.messages.length === 1, 'the first message')
  await writeFile(join(cwd, 'a.txt'), 'two\n')
  expect(paths(await test.api.ok('GET', at))).toEqual(['changed a.txt'])
  expect(paths(await test.api.ok('GET', `${at}?since=message`))).toEqual(['changed a.txt'])
  await agent.endTurn()
  await test.api.ok('POST', `/api/sessions/${session.id}/messages`, { text: 'Next' })
  await until(() => agent.messages.length === 2, 'the second message')
  expect(paths(await test.api.ok('GET', `${at}?since=message`))).toEqual([])
  const { diff } = await test.api.ok<FileDiff>('GET', `${at}/file?path=a.txt`)
  expect(diff).toContain('-one\n+two')

  const { session: other } = await test.session({ cwd })
  const expected = { owner: 200, approver: 200, viewer: 200, raiser: 403 } as const
  for (const role of ['owner', 'approver', 'viewer', 'raiser'] as const) {
    const { api } = await test.credential({ role, sessionIds: [session.id] })
    expect((await api.call('GET', at)).status).toBe(expected[role])
    expect((await api.call('GET', `${at}/file?path=a.txt`)).status).toBe(expected[role])
    expect((await api.call('GET', `/api/sessions/${other.id}/changes`)).status).toBe(role === 'raiser' ? 403 : 404)
  }
  expect((await test.api.call('GET', `${at}/file?path=../secret`)).status).toBe(404)
  expect((await test.api.call('GET', `${at}/file?path=b.txt`)).status).toBe(404)
})

it('hands a message over only when the files were looked at, and waits no longer than a second for that', async () => {
  const manual = createManualClock()
  const begun: (() => void)[] = []
  const held: ChangeStore = {
    ...createChangeStore(options()),
    begin: () => new Promise((resolve) => begun.push(resolve)),
    mark: async () => {},
  }
  await using test = await startTestGateway({ ...(await openTestNode()), clock: manual.clock, changes: held })
  const { session, agent } = await test.session({ cwd, prompt: 'Go' })
  await until(() => begun.length === 1, 'the look at the files')
  const sent = () => agent.messages.map(({ text }) => text)
  await agent.say('Nothing was handed over yet.')
  expect(sent()).toEqual([])
  begun[0]?.()
  await until(() => sent().length === 1, 'the first message')

  const { session: slow, agent: second } = await test.session({ cwd, prompt: 'Go' })
  await until(() => begun.length === 2, 'the look at the files of the second')
  await second.say('Nothing was handed over yet.')
  expect(second.messages).toEqual([])
  manual.advance(CHANGES_WAIT_MS)
  await until(() => second.messages.length === 1, 'the message that waited long enough')
  expect([session.id, slow.id]).toHaveLength(2)
})

it('keeps what was changed when a session ends', async () => {
  const changes = createChangeStore(options())
  const node = await openTestNode()
  await using test = await startTestGateway({ ...node, changes })
  const { session, agent } = await test.session({ cwd, prompt: 'Go' })
  await until(() => agent.messages.length === 1, 'the first message')
  await writeFile(join(cwd, 'a.txt'), 'two\n')
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  const read = () => test.api.ok<ChangedFiles>('GET', `/api/sessions/${session.id}/changes`)
  const list = await until(async () => {
    const reply = await read()
    return reply.endedAt !== undefined && reply
  }, 'the end')
  await writeFile(join(cwd, 'a.txt'), 'three\n')
  expect(paths(list)).toEqual(['changed a.txt'])
  expect((await test.api.ok<FileDiff>('GET', `/api/sessions/${session.id}/changes/file?path=a.txt`)).diff).toContain(
    '-one\n+two',
  )
  const deleted = await test.api.call('DELETE', `/api/sessions/${session.id}/content`)
  expect(deleted.status).toBeLessThan(300)
  await until(async () => (await changes.list(session.id, 'start')) === undefined, 'that nothing is kept')
})

it('refuses where nobody looked', async () => {
  await using test = await startTestGateway()
  const { session } = await test.session({ cwd })
  expect((await test.api.call('GET', `/api/sessions/${session.id}/changes`)).status).toBe(422)
})

it('takes up the sessions of the gateway before, and notes the end of those that ended without it', async () => {
  const first = createChangeStore(options())
  const left = 'ses_00000000000000000000000001' as SessionId
  await first.begin(left, { folder: cwd, isLate: false })
  await first.close()
  const changes = createChangeStore(options())
  await using test = await startTestGateway({ changes })
  await until(async () => (await changes.open()).length === 0, 'its end is noted')
  expect((await changes.list(left, 'start'))?.endedAt).toBeTypeOf('number')
  expect(test.logged.join()).not.toContain('files_not_noted')
})
