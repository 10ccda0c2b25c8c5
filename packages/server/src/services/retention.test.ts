import type { Retention, RetentionPreview } from '@holdpoint/schema/endpoints/retention'
import type { ItemPage } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { createManualClock } from '@holdpoint/testing/manual-clock'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'
import { createLog } from '../system/log.ts'
import { systemClock } from '../system/system-clock.ts'
import { keepLastScreen } from '../terminals/last-screens.ts'
import { ALONE, createClaim } from './claim.ts'
import { createRetention, type RetentionDeps } from './retention.ts'

const DAY_MS = 86_400_000

/** A gateway in the past, which can be brought to the present. */
async function inThePast() {
  let back = 200 * DAY_MS
  const clock = { ...systemClock, now: () => systemClock.now() - back }
  const test = await startTestGateway({ clock })
  return {
    test,
    toPresent: () => {
      back = 0
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

const set = (test: TestGateway, keep: object) => test.api.ok<Retention>('POST', '/api/retention', keep)
const read = (test: TestGateway, id: string) => test.api.ok<Session>('GET', `/api/sessions/${id}`)
const thread = (test: TestGateway, id: string) => test.api.ok<ItemPage>('GET', `/api/sessions/${id}/items`)
const preview = (test: TestGateway, query: string) =>
  test.api.ok<RetentionPreview>('GET', `/api/retention/preview?${query}`)

/** A session with an ask that was answered and delivered, and some words. */
async function lived(test: TestGateway, start: Record<string, unknown> = {}): Promise<Session> {
  const { session, agent } = await test.session({ prompt: 'Do it', ...start })
  await agent.say('I have looked at everything')
  const { ask, outcome } = await test.openAsk(agent)
  await test.api.ok('POST', `/api/asks/${ask.id}/answer`, { digest: ask.digest, kind: 'allow' })
  await outcome
  agent.start.delivered([ask.requestId])
  await until(async () => (await test.store.ask(ask.id))?.delivered, 'the delivery')
  return session
}

async function ended(test: TestGateway, start: Record<string, unknown> = {}): Promise<Session> {
  const session = await lived(test, start)
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  return session
}

it('keeps everything until somebody sets for how long', async () => {
  await using test = await startTestGateway()
  expect(await test.api.ok<Retention>('GET', '/api/retention')).toEqual({ keep: [] })
  await using other = await startTestGateway({ keepDays: 90, store: createMemoryStore() })
  expect(await other.api.ok<Retention>('GET', '/api/retention')).toEqual({ keep: [], ofGateway: 90 })
  for (const wrong of [{}, { days: 0 }, { days: 1.5 }, { days: 90, project: '/no/such' }, { days: 9, more: 1 }]) {
    expect((await other.api.call('POST', '/api/retention', wrong)).status).toBe(422)
  }
})

it('moves old sessions to the archive, where they are read and found as before; the others stay (I9)', async () => {
  await using world = await inThePast()
  const { test } = world
  const old = await ended(test)
  const alive = await lived(test)
  const lastScreen = { data: 'done', cols: 80, rows: 24 }
  await keepLastScreen(test.store.records, { sessionId: old.id, epoch: old.epoch }, lastScreen)
  await keepLastScreen(test.store.records, { sessionId: alive.id, epoch: alive.epoch }, lastScreen)
  const before = await thread(test, old.id)
  world.toPresent()
  const young = await ended(test)
  expect(await preview(test, 'days=90')).toMatchObject({ sessions: 1, oldestAt: expect.any(Number) })
  expect((await preview(test, 'days=90')).bytes).toBeGreaterThan(500)
  expect(await set(test, { days: 90 })).toEqual({ keep: [{ days: 90 }] })
  const retired = await until(async () => (await read(test, old.id)).retired, 'the archive')
  expect(retired.archive).toMatch(/^\d{4}-\d{2}$/)
  await until(() => test.logged.some((line) => line.includes('sessions_retired')), 'the log')
  expect((await test.store.records.list('last-screens')).map(({ key }) => key)).toEqual([alive.id])
  expect(await thread(test, old.id)).toEqual(before)
  expect((await test.store.history({ limit: 10, sessionIds: [old.id] })).records).toHaveLength(1)
  for (const { id } of [alive, young]) expect((await read(test, id)).retired).toBeUndefined()
  expect((await test.store.verify()).fault).toBeUndefined()
  expect(await preview(test, 'days=90')).toMatchObject({ sessions: 0, events: 0 })
  // It goes on, says where it was, and its part is let go.
  await test.api.ok('POST', '/api/sessions', { agent: 'synthetic', resume: old.id, prompt: 'Go on' })
  expect((await read(test, old.id)).retired).toBeUndefined()
  const texts = (await thread(test, old.id)).items.map((item) => ('text' in item ? item.text : ''))
  expect(texts).toContain(`This session was in the archive of ${retired.archive}. It is back in the log, and goes on.`)
  expect(texts).toContain('I have looked at everything')
  expect(await test.store.retirement.unfinished()).toEqual([])
  expect((await test.store.verify()).fault).toBeUndefined()
})

it('moves by the setting of its folder', async () => {
  await using world = await inThePast()
  const { test } = world
  const kept = await ended(test, { cwd: '/usr' })
  const longer = await ended(test, { cwd: '/etc' })
  const moved = await ended(test, { cwd: '/tmp' })
  world.toPresent()
  const other = await ended(test)
  await set(test, { days: null, project: '/usr' })
  await set(test, { days: 365, project: '/etc' })
  await set(test, { days: 30 })
  // The older ones would have come first.
  await until(async () => (await read(test, moved.id)).retired, 'the archive')
  for (const { id } of [kept, longer]) expect((await read(test, id)).retired).toBeUndefined()
  await test.api.ok('DELETE', '/api/retention?project=/usr')
  await until(async () => (await read(test, kept.id)).retired, 'the archive, by the setting of all')
  for (const { id } of [longer, other]) expect((await read(test, id)).retired).toBeUndefined()
  expect((await test.api.call('DELETE', '/api/retention?project=/usr')).status).toBe(404)
})

it('deletes an ended session for its owner alone: what was said goes, that it was there stays, and it says so (I9)', async () => {
  await using test = await startTestGateway()
  const authorization = `Bearer ${TEST_TOKEN}`
  const brought = await fetch(`${test.gateway.url}/api/attachments`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'text/plain' },
    body: 'a secret',
  })
  const { id: file } = (await brought.json()) as { id: string }
  const readFile = () => fetch(`${test.gateway.url}/api/attachments/${file}`, { headers: { authorization } })
  const session = await lived(test, { attachments: [file] })
  expect((await readFile()).status).toBe(200)
  const { records } = test.store
  await keepLastScreen(records, { sessionId: session.id, epoch: session.epoch }, { data: 'done', cols: 80, rows: 24 })
  const place = `/api/sessions/${session.id}/content`
  expect(await test.api.call('DELETE', place)).toMatchObject({
    status: 409,
    body: { error: { code: 'session_alive' } },
  })
  await test.api.ok('DELETE', `/api/sessions/${session.id}`)
  for (const role of ['approver', 'viewer'] as const) {
    const { api } = await test.credential({ role })
    expect((await api.call('DELETE', place)).status).toBe(403)
  }
  const { api: narrow } = await test.credential({ role: 'owner', sessionIds: [(await lived(test)).id as never] })
  expect((await narrow.call('DELETE', place)).status).toBe(404)
  const asks = (await test.store.asks({ status: 'settled', limit: 10, sessionId: session.id })).map(({ ask }) => ask.id)
  const deleted = await test.api.ok<Session>('DELETE', place)
  expect(deleted).toMatchObject({ title: 'Deleted session', deleted: { by: { role: 'owner' } } })
  expect(await test.api.ok<Session>('DELETE', place)).toEqual(deleted)
  expect(await read(test, session.id)).toEqual(deleted)
  expect((await thread(test, session.id)).items).toEqual([])
  for (const id of asks) expect((await test.api.call('GET', `/api/asks/${id}`)).status).toBe(404)
  expect((await readFile()).status).toBe(404)
  expect(await records.list('last-screens')).toEqual([])
  const { sessions } = await test.api.ok<{ sessions: Session[] }>('GET', '/api/sessions?state=dead')
  expect(sessions.map(({ id }) => id)).not.toContain(session.id)
  const resumed = await test.api.call('POST', '/api/sessions', { agent: 'synthetic', resume: session.id })
  expect(resumed).toMatchObject({ status: 409, body: { error: { code: 'session_deleted' } } })
  const events = await test.store.events({ after: 0, sessionId: session.id, limit: 100 })
  expect(events.map(({ event }) => event.type)).toEqual(['session-deleted'])
  expect((await test.store.verify()).fault).toBeUndefined()
})

it('lets one gateway have a claim, until it is held no longer', async () => {
  const { records } = createMemoryStore()
  let now = 0
  const clock = { now: () => now }
  const [one, two] = ['one', 'two'].map((by) => createClaim({ records, clock, name: 'work', by }))
  const both = await Promise.all([one?.hold(), two?.hold()])
  expect(both.filter(Boolean)).toHaveLength(1)
  const [holder, other] = both[0] ? [one, two] : [two, one]
  now = 4 * 60_000
  expect([await other?.hold(), await holder?.hold()]).toEqual([false, true])
  now = 8 * 60_000
  expect(await other?.hold()).toBe(false)
  now = 10 * 60_000
  expect([await other?.hold(), await holder?.hold()]).toEqual([true, false])
})

it('looks again where a setting was changed while it was at work', async () => {
  const time = createManualClock()
  const listeners: (() => void)[] = []
  let looks = 0
  let release = () => {}
  const store = {
    retirement: {
      async unfinished() {
        looks++
        await new Promise<void>((resolve) => (release = resolve))
        return []
      },
    },
  }
  const settings = { shortestDays: () => undefined, subscribe: (listener: () => void) => void listeners.push(listener) }
  const deps = { clock: time.clock, log: createLog({ level: 'info', write: () => {}, now: Date.now }), claim: ALONE }
  const work = createRetention({
    ...deps,
    ...({ store, settings, ledger: {}, deletion: { finish: async () => {} } } as unknown as Omit<
      RetentionDeps,
      keyof typeof deps
    >),
  })
  work.start()
  time.advance(6000)
  await until(() => looks === 1, 'the first look')
  for (const listener of listeners) listener()
  release()
  await until(() => {
    time.advance(1000)
    return looks === 2
  }, 'another look')
  release()
  await work.close()
})
