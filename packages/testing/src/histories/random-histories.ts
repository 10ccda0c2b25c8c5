import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PostgresServer } from '../postgres-server.ts'
import { seededRandom } from '../seeded-random.ts'
import { askRequest } from '../synthetic-driver.ts'
import { until } from '../until.ts'
import type { RequestKey, RunHistory, Told } from './history.ts'
import { createHistoryAgent, type HistoryAgent } from './history-agent.ts'
import { type HistoryNodes, type NodeWorld, openNodes } from './history-nodes.ts'
import { createNotes, type Notes } from './notes.ts'
import { readLog } from './read-log.ts'
import { toldBy } from './told.ts'
import { prepareDatabase, watchWriters } from './writers.ts'

const NAMES = ['a', 'b', 'c'] as const
const TRIES = 3
const PAUSE_MS = 10
/** So often an ask is looked for. */
const LOOKS = 100
const REST_MS = 15_000
const SESSION = {
  agent: 'synthetic',
  cwd: '/somewhere',
  permissionMode: 'default',
  gate: 'default',
  trusted: false,
} as const
const PROGRAM = { id: 'dev_00000000000000000000000001', name: 'a program' } as const
/** So many histories share a set of gateways and its log. */
const TOGETHER = 6

export interface RandomHistories {
  readonly run: RunHistory
  /** How often each fault was made. */
  readonly faults: Readonly<Record<string, number>>
}

/**
 * Small random histories on three gateways in this process and one PostgreSQL: agents and programs ask, several answer each ask
 * at any gateway, asks are withdrawn, lines are cut, and nodes get a new life while the old one still works.
 */
export async function runRandomHistories(
  server: PostgresServer,
  options: { count: number; seed: number },
): Promise<RandomHistories> {
  const address = await server.createDatabase()
  // Makes the tables.
  await prepareDatabase(address)
  const writers = await watchWriters(server, address)
  const notes = createNotes()
  const agents = new Set<HistoryAgent>()
  const faults: Record<string, number> = {}
  let begun = 0
  const onLife = ({ node }: NodeWorld) => {
    for (const agent of agents) if (agent.node === node) attach({ nodes, notes }, agent).catch(() => {})
  }
  const nodes = await openNodes({ server, address, names: NAMES, onLife })
  const work = async () => {
    while (begun < options.count) {
      const number = begun++
      await runHistory({ number, nodes, notes, agents, faults, random: seededRandom(options.seed * 10_000 + number) })
    }
  }
  try {
    await Promise.all(Array.from({ length: TOGETHER }, work))
    await Promise.all(
      nodes.current.map(({ ledger, store }) =>
        until(async () => ledger.seq() === (await store.lastSeq()), 'all to be published'),
      ),
    )
  } finally {
    await nodes.close()
  }
  const log = await readLog(address)
  const run: RunHistory = {
    ...notes,
    ...log,
    waiting: [...agents].flatMap((agent) => agent.waiting()),
    streams: nodes.worlds.map(({ stream }) => stream),
    revocations: [],
    lives: await writers.lives(),
    writes: await writers.writes(),
  }
  return { run, faults }
}

interface World {
  readonly number: number
  readonly nodes: HistoryNodes
  readonly notes: Notes
  readonly agents: Set<HistoryAgent>
  readonly faults: Record<string, number>
  readonly random: () => number
}

/** One history: up to two sessions and six requests, with up to three answerers each, and up to two faults meanwhile. */
async function runHistory(world: World) {
  const { number, nodes, notes, random } = world
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  /** Any life of any gateway: those that are over do not know it. */
  const anywhere = () => (random() < 0.2 ? pick(nodes.worlds) : pick(nodes.current))
  const soon = () => sleep(random() * 30)
  /** Who tries once only has to be told the truth at once. */
  const tries = () => (random() < 0.4 ? 1 : TRIES)

  const sessions = await Promise.all(
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => start(world, () => pick(nodes.current))),
  )
  const requests = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, n) => ({
    requestId: `r${number}-${n}`,
    input: { command: `do ${number} ${n}` },
    agent: pick(sessions),
    isOfProgram: random() < 0.3,
  }))
  const faulty = Array.from({ length: Math.floor(random() * 3) }, async () => {
    await soon()
    await makeFault(world, Math.floor(random() * NAMES.length))
  })

  await Promise.all(
    requests.map(async ({ agent, isOfProgram, ...call }) => {
      const key = { sessionId: agent.sessionId, epoch: 1, requestId: call.requestId }
      const raise: Notes['raises'][number] = { ...key, input: JSON.stringify(call.input), tries: [] }
      notes.raises.push(raise)
      await soon()
      if (isOfProgram) await raiseByProgram(raise, call.input, { where: anywhere, tries: tries() })
      else agent.ask(call)
      const answerers = Array.from({ length: 1 + Math.floor(random() * 3) }, async (_, n) => {
        await soon()
        const ask = await find(world, key, agent, anywhere)
        if (ask)
          await answer(world, {
            ask,
            device: `dev ${call.requestId} ${n}`,
            kind: random() < 0.5 ? 'allow' : 'deny',
            where: anywhere,
            tries: tries(),
          })
      })
      const cancelling = random() < 0.15 && cancel()
      await Promise.all([...answerers, cancelling])

      async function cancel() {
        await soon()
        const ask = await find(world, key, agent, anywhere)
        if (!ask) return
        if (isOfProgram) return withdraw(notes, ask, anywhere())
        // What comes of it is what the agent is told.
        notes.withdrawals.push({ askId: ask.id, tries: [{ told: 'unknown' }] })
        agent.cancel(call.requestId)
      }
    }),
  )
  await Promise.all(faulty)
  await bringToRest(world, sessions)
}

async function start(world: World, where: () => NodeWorld): Promise<HistoryAgent> {
  const { nodes, notes, agents } = world
  for (;;) {
    const { sessions, store } = where()
    const started = await sessions.start({ ...SESSION }).catch(toldBy)
    if ('ok' in started && started.ok) {
      const agent = createHistoryAgent(started.value, notes.deliveries)
      agents.add(agent)
      const isOver = async () => (await store.session(agent.sessionId).catch(() => undefined))?.state === 'dead'
      if (await attach({ nodes, notes }, agent, isOver)) return agent
      // Its start was in doubt: the gateway has ended it.
      agents.delete(agent)
    }
    await sleep(PAUSE_MS)
  }
}

/** To the newest life of its node, unless its session ends meanwhile. */
async function attach(
  { nodes, notes }: Pick<World, 'nodes' | 'notes'>,
  agent: HistoryAgent,
  isOver: () => Promise<boolean> = async () => notes.ended.includes(agent.sessionId),
): Promise<boolean> {
  const { sessionId, node } = agent
  const found = await until(
    async () => nodes.ownerOf(node)?.synthetic.agents.get(sessionId) ?? ((await isOver()) && 'over'),
    'the agent',
  )
  if (found === 'over') return false
  agent.attach(found)
  return true
}

async function makeFault(world: World, index: number) {
  const { nodes, faults, random } = world
  const proxy = nodes.proxy(index)
  const lose = async (what: 'dropRequests' | 'dropResponses') => {
    proxy[what](true)
    await sleep(5 + random() * 30)
    proxy[what](false)
  }
  const kinds = {
    cut: async () => proxy.cut(),
    'requests lost': () => lose('dropRequests'),
    'replies lost': () => lose('dropResponses'),
    'new life': () => nodes.replace(index),
  }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const name = names[Math.floor(random() * names.length)] as keyof typeof kinds
  faults[name] = (faults[name] ?? 0) + 1
  await kinds[name]()
}

async function raiseByProgram(
  raise: Notes['raises'][number],
  input: object,
  { where, tries }: { where: () => NodeWorld; tries: number },
) {
  const { sessionId, epoch, requestId } = raise
  const request = askRequest({ requestId, tool: { name: 'Bash', input: { ...input } }, context: {} })
  for (let count = 0; count < tries; count++) {
    const told = await where()
      .broker.raise({ sessionId, epoch, request, raisedBy: PROGRAM })
      .then((raised): Told<AskId> => (raised.ok ? { told: 'done', result: raised.ask.id } : { told: 'refused' }))
      .catch(toldBy)
    raise.tries.push(told)
    if (told.told === 'done') return
    await sleep(PAUSE_MS)
  }
}

async function withdraw({ withdrawals }: Notes, { id }: Ask, { broker }: NodeWorld) {
  const tries: Told<Outcome | undefined>[] = []
  withdrawals.push({ askId: id, tries })
  tries.push(
    await broker
      .withdraw(id, 'agent-cancelled')
      .then((result): Told<Outcome | undefined> => ({ told: 'done', result }))
      .catch(toldBy),
  )
}

/** As somebody at any gateway sees it, or has seen it; undefined if its agent was told that it is not asked. */
async function find(
  { notes }: World,
  raise: RequestKey,
  agent: HistoryAgent,
  where: () => NodeWorld,
): Promise<Ask | undefined> {
  const { sessionId, requestId } = raise
  for (let looks = 0; looks < LOOKS; looks++) {
    const { name, ledger } = where()
    const asks = [...(ledger.views().get(sessionId)?.asks.values() ?? [])]
    const ask = asks.find((open) => open.requestId === requestId)
    if (ask) {
      notes.sightings.push({ by: name, askId: ask.id })
      notes.seen.set(`${sessionId} ${requestId}`, ask)
      return ask
    }
    const known = notes.seen.get(`${sessionId} ${requestId}`)
    if (known || agent.isTold(requestId)) return known
    await sleep(PAUSE_MS)
  }
  return undefined
}

/** With the same key wherever it is tried again. */
async function answer(
  { notes }: Pick<World, 'notes'>,
  given: { ask: Ask; device: string; kind: 'allow' | 'deny'; where: () => NodeWorld; tries: number },
) {
  const { ask, device, kind, where, tries: most } = given
  const retryKey = `key of ${device}`
  const tries: Told<Outcome>[] = []
  notes.answers.push({ askId: ask.id, kind, device, retryKey, tries })
  for (let count = 0; count < most; count++) {
    const actor = { device, name: 'a person', role: 'owner' as const }
    const told = await where()
      .answer(ask, { kind }, { actor, retryKey })
      .then((result): Told<Outcome> => {
        if (result.ok) return { told: 'done', result: result.outcome }
        const { refusal } = result
        return { told: 'refused', ...('outcome' in refusal && { outcome: refusal.outcome }) }
      })
      .catch(toldBy)
    tries.push(told)
    if (told.told === 'refused' || told.told === 'done') return
    await sleep(PAUSE_MS)
  }
}

/** Everything that is open is denied, until no agent waits any more. Then the sessions end. */
async function bringToRest(world: World, sessions: readonly HistoryAgent[]) {
  const { nodes, notes } = world
  let count = 0
  const isAtRest = async () => {
    const open = sessions.flatMap(({ sessionId }) =>
      nodes.current.flatMap(({ ledger }) => [...(ledger.views().get(sessionId)?.asks.values() ?? [])]),
    )
    const asks = [...new Map(open.map((ask) => [ask.id, ask])).values()]
    await Promise.all(
      asks.map((ask) => {
        const device = `last of ${ask.requestId} ${++count}`
        const where = () => nodes.ownerOf(sessions[0]?.node) as NodeWorld
        return answer(world, { ask, device, kind: 'deny', where, tries: 1 })
      }),
    )
    return asks.length === 0 && sessions.every((agent) => agent.waiting().length === 0)
  }
  await until(isAtRest, 'agents to be told', REST_MS).catch(() => {})
  for (const { sessionId, node } of sessions) {
    notes.ended.push(sessionId)
    await until(
      async () => {
        const ended = await nodes.ownerOf(node)?.sessions.end(sessionId).catch(toldBy)
        return ended !== undefined && 'ok' in ended
      },
      'the session to end',
      REST_MS,
    )
  }
}
