import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Append, Store } from '@holdpoint/core/store'
import type { Item } from '@holdpoint/schema/item'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openEventSource } from '@holdpoint/testing/event-source'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it, onTestFinished } from 'vitest'
import { LAST_POSITION } from '../services/last-position.ts'

/** Where the rules of the policy are kept. */
const RULES = 'policy-rules'
const BEARER = { authorization: `Bearer ${TEST_TOKEN}` }

/** A store that can be put back to an earlier state: every commit is kept, and a copy has the same rows. */
function recorded() {
  const store = createMemoryStore()
  const commits: (readonly Append[])[] = []
  return {
    store: overrideStore(store, {
      append(appends) {
        commits.push(appends)
        return store.append(appends)
      },
    }),
    /** A backup of now, put back. */
    async backup(): Promise<Store> {
      const copy = createMemoryStore()
      for (const appends of commits) await copy.append(appends)
      for (const { key, value } of await store.records.list(RULES)) await copy.records.put(RULES, key, value)
      return copy
    },
  }
}

async function say(test: TestGateway, agent: Awaited<ReturnType<TestGateway['session']>>['agent'], times: number) {
  for (let n = 0; n < times; n++) await agent.say(`${n}`)
  return test.events()
}

/** A client whose cursor the first life gave, on a gateway whose log was put back to before it and went on. */
async function restored() {
  const { store, backup } = recorded()
  const before = await startTestGateway({ store })
  const { agent, session } = await before.session()
  const kept = await say(before, agent, 5)
  const keptCursor = await before.cursorAt(kept - 2)
  const copy = await backup()
  const lost = await say(before, agent, 5)
  const [within, beyond] = [await before.cursorAt(lost - 2), await before.cursorAt(lost)]
  await before[Symbol.asyncDispose]()

  const test = await startTestGateway({ store: copy })
  const last = await say(test, await test.synthetic.agentOf(session.id), 4)
  return { test, kept, keptCursor, within, beyond, last, lost }
}

it('F17 a cursor from a log that was replaced by an older one gets a snapshot, over both streams', async () => {
  const { test, kept, keptCursor, within, beyond, last, lost } = await restored()
  await using _ = test
  expect(last).toBeLessThan(lost)
  expect(Number.parseInt(within, 10)).toBeLessThanOrEqual(last)
  expect(Number.parseInt(beyond, 10)).toBeGreaterThan(last)
  for (const cursor of [within, beyond]) {
    const socket = await openStream(test.gateway.url, BEARER)
    socket.send({ type: 'subscribe', ref: 'r', after: cursor })
    await until(() => socket.messages.some(({ type }) => type === 'subscribed'), 'the word')
    expect(socket.messages[0]).toMatchObject({ type: 'snapshot', seq: last, cursor: await test.cursorAt(last) })
    expect(socket.seqs()).toEqual([])
    socket.close()
    const events = await openEventSource(`${test.gateway.url}/api/events`, { ...BEARER, 'last-event-id': cursor })
    await until(() => events.text().includes('\n\n'), 'an event')
    expect(events.text()).toContain(`id: ${await test.cursorAt(last)}\nevent: snapshot\n`)
    events.close()
  }
  // One from before the backup is as good as ever: what it names is in both.
  const socket = await openStream(test.gateway.url, BEARER)
  socket.send({ type: 'subscribe', ref: 'r', after: keptCursor })
  await until(() => socket.messages.some(({ type }) => type === 'subscribed'), 'the word')
  expect(socket.seqs()).toEqual(Array.from({ length: last - kept + 2 }, (_, index) => kept - 1 + index))
  socket.close()
})

it('F17 a bare number, the cursor of an earlier version, gets a snapshot', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const last = await say(test, agent, 3)
  const socket = await openStream(test.gateway.url, BEARER)
  socket.send({ type: 'subscribe', after: last - 1 })
  await until(() => socket.messages.length > 0, 'the snapshot')
  expect(socket.messages).toMatchObject([{ type: 'snapshot', seq: last }])
  socket.close()
})

describe('T32 a record that was replaced by an older one while the agent lives on', () => {
  const SESSION = { scope: 'session' }
  interface Seen {
    readonly rules: number
    readonly notices: string[]
    readonly older: boolean
    readonly isLogged: boolean
  }
  async function look(test: TestGateway, id: string): Promise<Seen> {
    const { rules } = await test.api.ok<{ rules: unknown[] }>('GET', '/api/rules')
    const { items } = await test.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items`)
    const { record } = await test.api.ok<{ record: { older?: true } }>('GET', '/api/status')
    return {
      rules: rules.length,
      notices: items.flatMap((item) => (item.type === 'notice' ? [item.text] : [])),
      older: record.older ?? false,
      isLogged: test.logged.some((line) => line.includes('record_is_older')),
    }
  }

  /** A rule that is in the backup and was removed since. */
  async function removedSince(dataDir: string) {
    const { store, backup } = recorded()
    const test = await startTestGateway({ store, dataDir })
    const { session, agent } = await test.session()
    const { ask, outcome } = await test.openAsk(agent)
    const reply = await test.api.answer(ask, { kind: 'allow', remember: SESSION })
    await outcome
    const copy = await backup()
    const { rule } = reply.body.outcome as { rule: string }
    expect((await test.api.call('DELETE', `/api/rules/${rule}`)).status).toBe(204)
    return { test, store, copy, id: session.id }
  }

  const folder = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hp-restored-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    return dataDir
  }

  it('F17 allows nothing by a rule that was removed since, and says so in the session, in the status and in the log', async () => {
    const dataDir = await folder()
    const { test: before, copy, id } = await removedSince(dataDir)
    await before[Symbol.asyncDispose]()
    {
      await using test = await startTestGateway({ store: copy, dataDir })
      const seen = await look(test, id)
      expect(seen).toMatchObject({ rules: 0, older: true, isLogged: true })
      expect(seen.notices).toEqual([expect.stringContaining('replaced by an older one')])
      const { ask } = await test.openAsk(await test.synthetic.agentOf(id), { requestId: 'later' })
      expect(ask.outcome).toBeUndefined()
    }
    // From then on it is the record: nothing is said twice.
    await using again = await startTestGateway({ store: copy, dataDir })
    expect(await look(again, id)).toMatchObject({
      rules: 0,
      older: false,
      isLogged: false,
      notices: [expect.any(String)],
    })
  })

  it('F17 ends the rules of the policy for a session, too; others are for an owner to look at', async () => {
    const dataDir = await folder()
    const { store, backup } = recorded()
    const before = await startTestGateway({ store, dataDir })
    const { session, agent } = await before.session()
    const add = (scope: object) =>
      before.api.ok<PolicyRule>('POST', '/api/policy/rules', { effect: 'allow', agent: '*', pattern: 'Deploy', scope })
    const { id } = await add({ kind: 'session', sessionId: session.id })
    await add({ kind: 'everywhere' })
    const copy = await backup()
    expect((await before.api.call('DELETE', `/api/policy/rules/${id}`)).status).toBe(204)
    await say(before, agent, 1)
    await before[Symbol.asyncDispose]()
    for (const start of ['first', 'second']) {
      await using test = await startTestGateway({ store: copy, dataDir })
      const { rules } = await test.api.ok<{ rules: PolicyRule[] }>('GET', '/api/policy')
      expect(rules, start).toMatchObject([{ scope: { kind: 'everywhere' } }])
    }
  })

  it('F17 also when the gateway was killed a moment after', async () => {
    const dataDir = await folder()
    const { test: before, copy, id } = await removedSince(dataDir)
    const noted = async () => {
      const text = await readFile(join(dataDir, LAST_POSITION), 'utf8').catch(() => '{}')
      return (JSON.parse(text) as { seq?: number }).seq
    }
    await until(async () => (await noted()) === (await before.events()), 'the place to be noted')
    await using test = await startTestGateway({ store: copy, dataDir })
    expect(await look(test, id)).toMatchObject({ rules: 0, older: true })
    await before[Symbol.asyncDispose]()
  })

  it.each(['as it was', '', '{"seq":', '{"seq":0}', 'gone'])(
    'F17 leaves the rules of a record that is the newest (place: %j)',
    async (place) => {
      const dataDir = await folder()
      const store = createMemoryStore()
      const before = await startTestGateway({ store, dataDir })
      const { session, agent } = await before.session()
      const { ask, outcome } = await before.openAsk(agent)
      await before.api.answer(ask, { kind: 'allow', remember: SESSION })
      await outcome
      await before[Symbol.asyncDispose]()
      const path = join(dataDir, LAST_POSITION)
      if (place === 'gone') await rm(path)
      else if (place !== 'as it was') await writeFile(path, place)
      await using test = await startTestGateway({ store, dataDir })
      expect(await look(test, session.id)).toEqual({ rules: 1, older: false, isLogged: false, notices: [] })
      expect(await (await test.synthetic.agentOf(session.id)).ask({ requestId: 'later' })).toMatchObject({
        kind: 'allowed',
        via: 'rule',
      })
    },
  )
})
