import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import { Ask } from '@holdpoint/schema/ask'
import { DurableEvent } from '@holdpoint/schema/event'
import { Item } from '@holdpoint/schema/item'
import type { Session } from '@holdpoint/schema/session'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ApiClient } from './api-client.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { createSyntheticDriver } from './synthetic-driver.ts'
import { startTestGateway } from './test-gateway.ts'
import { until } from './until.ts'

/**
 * A data folder as the version of commit 94efb8d left it, never to be written again: five sessions (one with an open ask
 * of every kind, two rules and a message that waits; one with a time limit; one ended; one whose agent has not heard the
 * last outcome; one frozen by an alarm), and three devices.
 */
const OLD_DATA = fileURLToPath(new URL('fixtures/data-94efb8d', import.meta.url))
const HEAD = '08f3f12ac8f9d32b2228cdeac13ba6411fe62ecb0fb646ebccaac289079475ea'

function copyOfOldData(): string {
  const root = mkdtempSync(join(tmpdir(), 'hp-old-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  cpSync(OLD_DATA, dataDir, { recursive: true })
  return dataDir
}

const sessionsByTitle = async (api: ApiClient) => {
  const { sessions } = await api.ok<{ sessions: Session[] }>('GET', '/api/sessions')
  return new Map(sessions.map((session) => [session.title, session]))
}

it('finds the log of an older version whole, and reads every event, item and ask of it', async () => {
  const store = await openSqliteStore({ path: join(copyOfOldData(), 'holdpoint.db') })
  expect(await store.verify()).toEqual({ events: 49, sessions: 5, head: HEAD })
  const events = await store.events({ after: 0, limit: 1000 })
  expect(z.array(DurableEvent).parse(events.map(({ event }) => event))).toHaveLength(49)
  const alive = (await store.liveSessions()).map(({ session }) => session)
  const { sessions: ended } = await store.endedSessions({ limit: 100 })
  expect([...alive, ...ended]).toHaveLength(5)
  for (const { id } of [...alive, ...ended]) {
    const own = events.filter(({ event }) => event.sessionId === id)
    expect(await store.events({ after: 0, sessionId: id, limit: 1000 })).toEqual(own)
    z.array(Item).parse((await store.items({ sessionId: id, limit: 1000 })).items)
  }
  const asks = await store.asks({ status: 'all', limit: 1000 })
  expect(z.array(Ask).parse(asks.map(({ ask }) => ask))).toHaveLength(14)
  const { records } = await store.history({ limit: 1000 })
  expect(records).toHaveLength(asks.filter(({ outcome }) => outcome).length)
  const { records: denied } = await store.history({ limit: 1000, words: ['leave', 'build'] })
  expect(denied.map(({ ask }) => ask.title)).toEqual(['Bash: rm -rf build'])
  expect(await store.verify()).toEqual({ events: 49, sessions: 5, head: HEAD })
  await store.close()
})

it('keeps the asks open that an older version left, and lets people answer them', async () => {
  const dataDir = copyOfOldData()
  const store = await openSqliteStore({ path: join(dataDir, 'holdpoint.db') })
  const claude = createSyntheticDriver('claude')
  const test = await startTestGateway({ store, dataDir, drivers: () => [claude.driver] })
  const sessions = await sessionsByTitle(test.api)
  const open = await test.api.openAsks(sessions.get('Every kind of ask')?.id)
  expect(open.map(({ kind }) => kind)).toEqual(['approval', 'approval', 'question', 'plan', 'form'])
  const [push] = open as [Ask]
  expect((await test.api.answer(push, { kind: 'deny' })).status).toBe(200)
  expect(await test.api.openAsks(push.sessionId)).toHaveLength(4)

  // What was remembered then was less than what is shown now: it matches nothing any more, and says so (T61).
  const { rules } = await test.api.ok<{ rules: { rule: string; ended?: string }[] }>('GET', '/api/rules')
  expect(rules.map(({ rule, ended }) => [rule, typeof ended])).toEqual([
    ['Bash(npm test)', 'string'],
    ['Bash(npm run lint)', 'string'],
  ])

  // Its minute has long passed.
  const timed = sessions.get('With a time limit')?.id
  await until(async () => (await test.api.openAsks(timed)).length === 0, 'the ask to expire')
  const settled = await store.asks({ status: 'settled', limit: 100 })
  expect(settled.find(({ ask }) => ask.sessionId === timed)?.outcome).toMatchObject({ kind: 'expired' })
  expect(sessions.get('Frozen')).toMatchObject({ frozen: true })
  expect(sessions.get('Ended')).toMatchObject({ state: 'dead', endReason: 'ended-by-person' })
  await test[Symbol.asyncDispose]()
  expect((await store.verify()).fault).toBeUndefined()
  await store.close()
})

it('says that the agents are gone where they are, and gives their asks back with that reason', async () => {
  const dataDir = copyOfOldData()
  const gateway = await startGatewayProcess({ dataDir })
  try {
    const isOver = async () => [...(await sessionsByTitle(gateway.api)).values()].every(({ state }) => state === 'dead')
    await until(isOver, 'the sessions to end')
    expect(await gateway.api.openAsks()).toEqual([])
    const { asks } = await gateway.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=settled&limit=100')
    const push = asks.find(({ title }) => title === 'Bash: git push')
    expect(push?.outcome).toMatchObject({ kind: 'withdrawn', reason: 'orphaned' })
    const kept = asks.find(({ title }) => title === 'Bash: rm -rf build')
    expect(kept?.outcome).toMatchObject({ kind: 'denied', answer: { message: 'Leave the build alone.' } })
  } finally {
    await gateway.stop()
    await (await connectHost({ dataDir, hostMain: '' })).shutdown()
  }
})
