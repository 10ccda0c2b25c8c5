import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import { type PostgresServer, startPostgres } from '@holdpoint/testing/postgres-server'
import { startProxy } from '@holdpoint/testing/proxy'
import { eventsOf, itemId, sampleAppend, sampleMessage } from '@holdpoint/testing/store-contract/store-samples'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPostgresStore } from './postgres-store.ts'

/** Bytes between two cuts, where not all are tried, and the last ones, which are: there it is decided whether it counts. */
const STEPS = { requests: 400, responses: 24 }
const LAST = 8

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.asyncDispose]())

it.each(['requests', 'responses'] as const)(
  'F50 F57 a commit whose line is cut after any byte of its %s counts once or not at all, as its caller hears',
  { timeout: TIMEOUT_MS },
  async (of) => {
    const direct = await server.createDatabase()
    await using proxy = await startProxy()
    proxy.connectTo(direct.replace('postgres:', 'http:'))
    const address = direct.replace(String(server.port), new URL(proxy.url).port)
    const open = () => createPostgresStore({ address, node: 'a', version: '1', checkTimes: false })
    await (await open()).close()
    // All commits are to be as long as each other, whatever is counted in them.
    await server.sql('UPDATE holdpoint.nodes SET epoch = 1000', direct)
    const store = await open()
    await store.append([sampleAppend({ after: 0, events: [eventsOf(1).started()] })])
    const told: string[] = []
    let number = 1_000
    /** What its caller hears, and how many bytes of it have passed. */
    const commit = async (after: number) => {
      const n = ++number
      const cut = proxy.cutAfter({ of, after, from: (chunk) => chunk.includes(`message ${n}`) })
      const append = sampleAppend({ after: told.length + 1, events: [eventsOf(1).added(sampleMessage(n))] })
      const heard = await store.append([append]).then(
        ([result]) => (result?.ok ? 'committed' : 'conflict'),
        (fault: Error) => (fault.message.endsWith('Nothing was written.') ? 'nothing' : fault.name),
      )
      if (heard === 'committed') told.push(itemId(n))
      return { heard, passed: cut.passed }
    }
    // The next one is sent on a connection that is new, as each one is after a cut.
    await commit(0)
    const whole = await commit(Number.POSITIVE_INFINITY)
    const step = LONG ? 1 : STEPS[of]
    const cuts = Array.from({ length: whole.passed + 1 }, (_, after) => after).filter(
      (after) => after % step === 0 || after > whole.passed - LAST,
    )
    const heard: string[] = []
    for (const after of cuts) heard.push((await commit(after)).heard)
    report(`${cuts.length} cuts in the ${whole.passed} bytes of ${of}`)
    const isWhole = (index: number) => of === 'responses' || cuts[index] === whole.passed
    expect(heard).toEqual(heard.map((_, index) => (isWhole(index) ? 'committed' : 'nothing')))
    const events = await store.events({ after: 0, limit: 10_000 })
    expect(events.flatMap(({ event }) => (event.type === 'item-added' ? [event.item.id] : []))).toEqual(told)
    expect((await store.verify()).fault).toBeUndefined()
    await store.close()
  },
)
