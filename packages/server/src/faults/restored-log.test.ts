import type { Append, Store } from '@holdpoint/core/store'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { openEventSource } from '@holdpoint/testing/event-source'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openStream } from '@holdpoint/testing/stream-client'
import { startTestGateway, TEST_TOKEN, type TestGateway } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

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
