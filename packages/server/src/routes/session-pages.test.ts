import { Buffer } from 'node:buffer'
import type { SessionPage } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { overrideStore } from '@holdpoint/testing/override-store'
import { eventsOf, sampleAppend, sampleSession } from '@holdpoint/testing/store-contract/store-samples'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'

const ENDED = 2000

/** A store with a long past, which counts the sessions that are read out of it. */
async function longPast() {
  const store = createMemoryStore()
  let read = 0
  for (let n = 1; n <= ENDED; n++) {
    const session = sampleSession(n, { state: 'dead' })
    await store.append([{ ...sampleAppend({ n, after: 0, events: [eventsOf(n, n).started(session)] }), session }])
  }
  const counting = overrideStore(store, {
    async endedSessions(query) {
      const page = await store.endedSessions(query)
      read += page.sessions.length
      return page
    },
  })
  return { store: counting, read: () => read }
}

it('F55 starts with the newest ended sessions, and lists them page by page, each once', async () => {
  const { store, read } = await longPast()
  await using test = await startTestGateway({ store })
  expect(read()).toBe(200)
  const { session } = await test.session()

  const first = await test.api.ok<SessionPage>('GET', '/api/sessions')
  expect(first.sessions.map(({ state }) => state === 'dead')).toEqual([false, ...Array(100).fill(true)])
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(50_000)
  expect(read()).toBe(300)

  const ids = new Set(first.sessions.map(({ id }) => id))
  for (let page = first; page.nextBefore !== undefined; ) {
    page = await test.api.ok<SessionPage>('GET', `/api/sessions?limit=500&before=${page.nextBefore}`)
    expect(page.sessions.length).toBeLessThanOrEqual(500)
    for (const { id } of page.sessions) {
      expect(ids).not.toContain(id)
      ids.add(id)
    }
  }
  expect(ids.size).toBe(ENDED + 1)
  expect(ids).toContain(session.id)
  expect(read()).toBe(200 + ENDED)
})

it('F55 shows a narrow credential its own sessions without reading any other', async () => {
  const { store, read } = await longPast()
  await using test = await startTestGateway({ store })
  const { session } = await test.session()
  const id = `ses_${'1'.padStart(26, '0')}` as const
  const { api } = await test.credential({ role: 'viewer', sessionIds: [session.id, id] })
  const before = read()
  const { sessions } = await api.ok<SessionPage>('GET', '/api/sessions')
  expect(sessions.map((own) => own.id)).toEqual([session.id, id])
  expect(read()).toBe(before)
})

it('searches every session, however long ago it ended, and says where to go on', async () => {
  const { store } = await longPast()
  await using test = await startTestGateway({ store })
  const { session } = await test.session({ title: 'A needle' })
  const old = `ses_${'7'.padStart(26, '0')}`
  await test.api.ok('POST', `/api/sessions/${old}/title`, { title: 'An old NEEDLE' })
  await test.api.ok('POST', `/api/sessions/${old}/archive`)

  async function found(query: string, api = test.api) {
    const ids: string[] = []
    for (let before = ''; ; ) {
      const page = await api.ok<SessionPage>('GET', `/api/sessions?${query}&limit=500${before}`)
      ids.push(...page.sessions.map(({ id }) => id))
      if (page.nextBefore === undefined) return ids
      before = `&before=${page.nextBefore}`
    }
  }
  expect(await found('search=needle')).toEqual([session.id, old])
  expect(await found('search=needle&state=dead')).toEqual([old])
  expect(await found('search=needle&archived=false')).toEqual([session.id])
  expect(await found('archived=true')).toEqual([old])
  const { api } = await test.credential({ role: 'viewer', sessionIds: [session.id] })
  expect(await found('search=needle', api)).toEqual([session.id])
})
