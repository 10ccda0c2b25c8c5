import { mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TimeLimits } from '@holdpoint/schema/endpoints/time-limits'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it, onTestFinished } from 'vitest'

async function someFolder() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-limits-')))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const set = (test: TestGateway, limit: object) => test.api.ok<TimeLimits>('POST', '/api/time-limits', limit)
const list = (test: TestGateway) => test.api.ok<TimeLimits>('GET', '/api/time-limits')

it('has no limit until somebody sets one', async () => {
  await using test = await startTestGateway()
  expect(await list(test)).toEqual({ limits: [] })
})

it('gives sessions that start from now on what is set for their folder, and each keeps what it started with', async () => {
  await using test = await startTestGateway({ timeLimit: { afterMs: 9000, onTimeout: 'deny' } })
  const folder = await someFolder()
  const before = await test.session({ cwd: folder })
  await set(test, { project: folder, afterMs: 60_000, onTimeout: 'interrupt' })
  await set(test, { project: folder, kind: 'question', afterMs: null })
  expect((await test.session({ cwd: folder })).session).toMatchObject({
    askTimeoutMs: 60_000,
    onTimeout: 'interrupt',
    timeLimits: [{ kind: 'question', afterMs: null, onTimeout: 'deny' }],
  })
  expect((await test.session({ cwd: folder, askTimeoutMs: 2000 })).session).toMatchObject({ askTimeoutMs: 2000 })
  expect((await test.session()).session.askTimeoutMs).toBe(9000)
  const { ask } = await test.openAsk(before.agent)
  expect((ask.expiresAt ?? 0) - ask.raisedAt).toBe(9000)
})

it('knows a folder by where it really is, and refuses one that is not there', async () => {
  await using test = await startTestGateway()
  const folder = await someFolder()
  await symlink(folder, join(folder, 'link'))
  expect(await set(test, { project: join(folder, 'link'), afterMs: 1000 })).toEqual({
    limits: [{ project: folder, afterMs: 1000, onTimeout: 'deny' }],
  })
  const missing = await test.api.call('POST', '/api/time-limits', { project: join(folder, 'no'), afterMs: 1000 })
  expect(missing).toMatchObject({ status: 422, body: { error: { code: 'unknown_folder' } } })
})

it.each([
  ['no time', {}],
  ['no whole second', { afterMs: 999 }],
  ['more than a year', { afterMs: 31_536_000_001 }],
  ['an unknown kind', { afterMs: 1000, kind: 'prompt' }],
  ['an allow', { afterMs: 1000, onTimeout: 'allow' }],
  ['a field that there is not', { afterMs: 1000, allow: true }],
])('refuses %s', async (_, limit) => {
  await using test = await startTestGateway()
  expect((await test.api.call('POST', '/api/time-limits', limit)).status).toBe(422)
  expect(await list(test)).toEqual({ limits: [] })
})

it('has one limit for the same asks, over a restart, until it is removed', async () => {
  const store = createMemoryStore()
  const kept = async () => {
    await using test = await startTestGateway({ store })
    return (await list(test)).limits
  }
  {
    await using test = await startTestGateway({ store })
    await Promise.all([1000, 2000, 3000].map((afterMs) => set(test, { kind: 'plan', afterMs })))
    await set(test, { afterMs: 5000 })
  }
  expect(await kept()).toEqual([
    { kind: 'plan', afterMs: 3000, onTimeout: 'deny' },
    { afterMs: 5000, onTimeout: 'deny' },
  ])
  {
    await using test = await startTestGateway({ store })
    await test.api.ok('DELETE', '/api/time-limits?kind=plan')
    expect((await test.api.call('DELETE', '/api/time-limits?kind=plan')).status).toBe(404)
  }
  expect(await kept()).toEqual([{ afterMs: 5000, onTimeout: 'deny' }])
})

it('starts without a limit that it cannot read, and says so in the log', async () => {
  const store = createMemoryStore()
  await store.records.put('time-limits', ' ', { afterMs: 'soon' })
  await using test = await startTestGateway({ store })
  expect(await list(test)).toEqual({ limits: [] })
  expect(test.logged.join('')).toContain('time_limit_not_read')
})

it('takes two limits of a session for one kind as a mistake', async () => {
  await using test = await startTestGateway()
  const limit = { kind: 'plan', afterMs: 1000 }
  const reply = await test.api.call('POST', '/api/sessions', {
    agent: 'synthetic',
    cwd: test.dataDir,
    timeLimits: [limit, limit],
  })
  expect(reply.status).toBe(422)
})

it('gives agents in terminals no limit: their dialog waits where they run', async () => {
  await using test = await startTestGateway({ timeLimit: { afterMs: 9000, onTimeout: 'interrupt' } })
  const terminal = await test.terminal()
  expect(terminal.askTimeoutMs).toBeUndefined()
  expect(terminal.onTimeout).toBe('deny')
})
