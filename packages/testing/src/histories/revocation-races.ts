import { setTimeout as sleep } from 'node:timers/promises'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PostgresServer } from '../postgres-server.ts'
import { until } from '../until.ts'
import type { Delivery, GivenAnswer, Raise, RunHistory, Told } from './history.ts'
import { createHistoryAgent, type HistoryAgent } from './history-agent.ts'
import { type NodeWorld, openNodes } from './history-nodes.ts'
import { readLog } from './read-log.ts'
import { toldBy } from './told.ts'
import { prepareDatabase, watchWriters } from './writers.ts'

const DEVICES = 'devices'
const TOGETHER = 8
/** An answer waits until whoever decides it knows of all revocations before it: it takes longer than a revocation. */
const WINDOW_MS = { answer: 5, revoke: 60, read: 3 }
const OWNER = 'the owner'

/**
 * Answers at one gateway while the devices that give them are revoked at the other one. The first keeps a copy of who may
 * answer, as gateways do, and is slow to read it again.
 */
export async function runRevocationRaces(
  server: PostgresServer,
  { count, random }: { count: number; random: () => number },
): Promise<{ run: RunHistory; won: number }> {
  const address = await server.createDatabase()
  await prepareDatabase(address)
  const writers = await watchWriters(server, address)
  const nodes = await openNodes({ server, address, names: ['a', 'b'] })
  const [a, b] = nodes.current as [NodeWorld, NodeWorld]
  const answers: GivenAnswer[] = []
  const deliveries: Delivery[] = []
  const agents: HistoryAgent[] = []
  let won = 0
  const raises: Raise[] = []
  const mayAnswer = new Set<string>()
  b.cluster.onRecords(async (change) => {
    await sleep(random() * WINDOW_MS.read)
    const keys = change ? [change.key] : [...mayAnswer]
    for (const key of keys) if (!(await b.store.records.get(DEVICES, key))) mayAnswer.delete(key)
  })
  async function race(number: number, { session, agent }: Awaited<ReturnType<typeof start>>) {
    const device = deviceOf(number)
    const call = { requestId: `r${number}`, input: { command: `do ${number}` } }
    const key = { sessionId: session.id, epoch: 1, requestId: call.requestId }
    raises.push({ ...key, input: JSON.stringify(call.input), tries: [] })
    agent.ask(call)
    const open = () => [...(b.view(session)?.asks.values() ?? [])].find(({ requestId }) => requestId === call.requestId)
    const ask = await until(open, 'the ask')
    const mayIt = (who: string) => () => (who === OWNER || mayAnswer.has(who) ? 'yes' : 'no')
    const answer = async (who: string, kind: 'allow' | 'deny'): Promise<Told<Outcome>> => {
      const actor = { device: who, name: 'a person', role: 'owner' as const }
      const told = await b
        .answer(ask, { kind }, { actor, mayAnswer: mayIt(who) })
        .then((result): Told<Outcome> => (result.ok ? { told: 'done', result: result.outcome } : { told: 'refused' }))
        .catch(toldBy)
      answers.push({ askId: ask.id, kind, device: who, tries: [told] })
      return told
    }
    const answering = sleep(random() * WINDOW_MS.answer).then(() => answer(device, 'allow'))
    const revoking = sleep(random() * WINDOW_MS.revoke).then(() => a.store.records.remove(DEVICES, device))
    const [{ told }] = await Promise.all([answering, revoking])
    if (told === 'done') won++
    else await answer(OWNER, 'deny')
  }

  async function start() {
    const { session, agent: attached } = await a.session()
    const agent = createHistoryAgent(session, deliveries)
    agent.attach(attached)
    agents.push(agent)
    return { session, agent }
  }

  let begun = 0
  const work = async () => {
    const started = await start()
    while (begun < count) await race(begun++, started)
  }
  try {
    for (let number = 0; number < count; number++) {
      const device = deviceOf(number)
      await a.store.records.put(DEVICES, device, {})
      mayAnswer.add(device)
    }
    await Promise.all(Array.from({ length: TOGETHER }, work))
    await until(() => agents.every((agent) => agent.waiting().length === 0), 'agents to be told')
  } finally {
    await nodes.close()
  }
  const run = {
    raises,
    answers,
    deliveries,
    withdrawals: [],
    waiting: agents.flatMap((agent) => agent.waiting()),
    ended: [],
    sightings: [],
    streams: nodes.worlds.map(({ stream }) => stream),
    revocations: await writers.revocations(),
    lives: await writers.lives(),
    writes: await writers.writes(),
    ...(await readLog(address)),
  }
  return { run, won }
}

function deviceOf(number: number): string {
  return `device ${number}`
}
