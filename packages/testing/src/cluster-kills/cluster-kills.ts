import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from '@holdpoint/schema/ask'
import type { Device } from '@holdpoint/schema/device'
import type { Session } from '@holdpoint/schema/session'
import { apiClient } from '../api-client.ts'
import type { RunHistory } from '../histories/history.ts'
import type { HistoryAgent } from '../histories/history-agent.ts'
import { createNotes, type Notes } from '../histories/notes.ts'
import { readLog } from '../histories/read-log.ts'
import { prepareDatabase, watchWriters } from '../histories/writers.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { seededRandom } from '../seeded-random.ts'
import { until } from '../until.ts'
import { startAgents } from './agents-server.ts'
import { type Callers, createCallers, type Place } from './callers.ts'
import { createFaults } from './faults.ts'
import { logIn } from './log-in.ts'
import { type Machine, startMachine } from './machine.ts'
import { type PlannedFault, planFaults } from './plan-faults.ts'
import { revokeUnheard } from './revoke-unheard.ts'
import { toldOverHttp } from './told-over-http.ts'

const NAMES = ['a', 'b', 'c', 'd'] as const
const SESSIONS_OF_EACH = 3
/** So many ask and are answered at once, and so many faults go on at once. */
const ASKING = 24
const FAULTS_AT_ONCE = 3
/** No fault is made while fewer gateways than this can be called: nothing would go on beside it. */
const LEAST_READY = 2
const LONGEST_THOUGHT_MS = 600
const TRIES = 4
const REST_MS = 30_000

export interface ClusterKills {
  readonly run: RunHistory
  /** How often each fault was made. One of a gateway that commits nothing just then is not. */
  readonly made: Readonly<Record<string, number>>
  readonly lives: number
  /** Gateways that ended by themselves because a later life of their node had begun. */
  readonly displaced: number
  /** Gateways that ended in another way than they should. */
  readonly crashes: readonly string[]
}

/**
 * Four gateways as processes of their own on one PostgreSQL, under load, while they, their lines and all of PostgreSQL are
 * killed, cut and stopped at random.
 */
export async function runClusterKills(
  server: PostgresServer,
  options: { readonly faults: number; readonly seed: number },
): Promise<ClusterKills> {
  const { seed } = options
  // Apart from the plan of faults: what is drawn here depends on who is faster.
  const random = seededRandom(seed + 1)
  const address = await server.createDatabase()
  await prepareDatabase(address)
  const writers = await watchWriters(server, address)
  const root = await mkdtemp(join(tmpdir(), 'hp-kills-'))
  const notes = createNotes()
  const agents = await startAgents(notes.deliveries)
  const machines: Machine[] = []
  const made: Record<string, number> = {}
  // More than are to be made: a gateway that commits nothing just then is left alone.
  const plan = planFaults(2 * options.faults, { seed, gateways: NAMES.length })
  try {
    machines.push(
      ...(await Promise.all(
        NAMES.map((name) => startMachine({ name, root, server, address, agentsPort: agents.port })),
      )),
    )
    const { device } = await apiOf(machines, 0).ok<{ device: Device }>('GET', '/api/me')
    const { token: program } = await logIn(apiOf(machines, 0), 'raiser')
    const callers = createCallers({
      notes,
      device: device.id,
      program,
      cwd: root,
      where: () => anywhere(machines, random),
    })
    for (const [index] of NAMES.entries())
      for (let count = 0; count < SESSIONS_OF_EACH; count++)
        await apiOf(machines, index).ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: root })
    const sessions = await until(
      () => agents.agents.size === NAMES.length * SESSIONS_OF_EACH && [...agents.agents.values()],
      'the agents',
    )

    let number = 0
    const make = createFaults({
      server,
      address,
      machines,
      async revoke(machine) {
        const elsewhere = machines[(machines.indexOf(machine) + 1) % machines.length] as Machine
        // Any answer to its asks is decided where it runs.
        const agent = sessions.find(({ node }) => node === machine.node) as HistoryAgent
        // Other faults may come in between.
        for (let tries = 0; tries < TRIES; tries++)
          if (await revokeUnheard({ machine, elsewhere, agent, number: number++, notes, callers })) return true
        return false
      },
    })
    let isOver = false
    const making = makeFaults({ plan, count: options.faults, make, machines, notes, made })
    const asking = Array.from({ length: ASKING }, async () => {
      while (!isOver) await askOnce({ number: number++, root, sessions, notes, callers, random })
    })
    const stopped = making.finally(() => {
      isOver = true
    })
    await Promise.all([stopped, ...asking])
    const areAllTold = async () => {
      const [row] = await server.sql('SELECT max(seq) AS seq FROM holdpoint.events', address)
      return machines.every((machine) => machine.published() === Number(row?.seq))
    }
    await bringToRest({ machines, sessions, notes, callers, areAllTold })
    for (const machine of machines) await readSettled(machine, notes)
  } catch (error) {
    const states = machines.map((machine) => machine.state())
    throw new Error(`${String(error)}\n${JSON.stringify(made)}\n${states.join('\n')}\n`, { cause: error })
  } finally {
    for (const machine of machines) await machine.close()
    agents.close()
    await rm(root, { recursive: true, force: true })
  }
  const reports = machines.map((machine) => machine.report())
  const run: RunHistory = {
    ...notes,
    ...(await readLog(address)),
    waiting: [...agents.agents.values()].flatMap((agent) => agent.waiting()),
    streams: machines.flatMap((machine) => machine.streams()),
    revocations: await writers.revocations(),
    lives: await writers.lives(),
    writes: await writers.writes(),
  }
  return {
    run,
    made,
    lives: reports.reduce((sum, { lives }) => sum + lives, 0),
    displaced: reports.reduce((sum, report) => sum + report.displaced, 0),
    crashes: reports.flatMap(({ crashes }) => crashes),
  }
}

/** Any life of any gateway that is there: one that is over may not know it. */
function anywhere(machines: readonly Machine[], random: () => number): Place {
  const places = machines.flatMap(({ name, apis }) => apis().map((api) => ({ name, api })))
  const place = places[Math.floor(random() * places.length)]
  // All of them are just starting.
  return place ?? { name: 'nobody', api: NOBODY }
}

const NOBODY = apiClient('http://127.0.0.1:9', '')

function apiOf(machines: readonly Machine[], index: number) {
  const api = machines[index]?.apis().at(-1)
  if (!api) throw new Error('the gateway is not there')
  return api
}

/** One request, of an agent or of a program, with up to three who answer it, and perhaps one who takes it back. */
async function askOnce(world: {
  readonly number: number
  readonly root: string
  readonly sessions: readonly HistoryAgent[]
  readonly notes: Notes
  readonly callers: Callers
  readonly random: () => number
}) {
  const { number, notes, callers, random } = world
  const agent = world.sessions[Math.floor(random() * world.sessions.length)] as HistoryAgent
  const key = { sessionId: agent.sessionId, epoch: 1, requestId: `r${number}` }
  const input = { command: `do ${number}` }
  const raise: Notes['raises'][number] = { ...key, input: JSON.stringify(input), tries: [] }
  notes.raises.push(raise)
  /** Most at once, so that they race. Some later: a fault finds asks that wait. */
  const soon = () => sleep(random() ** 4 * LONGEST_THOUGHT_MS)
  /** Who tries once only has to be told the truth at once. */
  const most = () => (random() < 0.7 ? 1 : TRIES)

  const isOfProgram = random() < 0.3
  if (isOfProgram) await callers.raise(raise, input, most())
  else agent.ask({ requestId: key.requestId, input, ...(random() < 0.5 && { cwd: world.root }) })

  const answer = async (n: number) => {
    await soon()
    const ask = await callers.find(key, agent)
    const kind = random() < 0.5 ? 'allow' : 'deny'
    if (ask) await callers.answer(ask, { kind, key: `${key.requestId} ${n}`, most: most() })
  }
  const cancel = async () => {
    await soon()
    const ask = await callers.find(key, agent)
    if (!ask) return
    if (isOfProgram) return callers.withdraw(ask)
    // What comes of it is what the agent is told.
    notes.withdrawals.push({ askId: ask.id, tries: [{ told: 'unknown' }] })
    agent.cancel(key.requestId)
  }
  const answerers = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => answer(n))
  await Promise.all([...answerers, random() < 0.15 && cancel()])
}

/** In the order of the plan, each after as many answers as it says, some of them at once. */
async function makeFaults({
  plan,
  count,
  make,
  machines,
  notes,
  made,
}: {
  readonly plan: readonly PlannedFault[]
  readonly count: number
  readonly make: (fault: PlannedFault) => Promise<boolean>
  readonly machines: readonly Machine[]
  readonly notes: Notes
  readonly made: Record<string, number>
}) {
  const left = [...plan]
  let open = count
  // Without answers in between, faults prove nothing.
  let answers = 0
  const some = Array.from({ length: FAULTS_AT_ONCE }, async () => {
    while (open > 0) {
      const fault = left.shift()
      if (!fault) throw new Error('most faults of the plan could not be made')
      open--
      answers += fault.answers
      const due = answers
      await until(() => notes.deliveries.length >= due, 'answers between the faults', REST_MS)
      const ready = () => machines.filter(({ apis }) => apis().length > 0).length >= LEAST_READY
      await until(ready, 'gateways to start', REST_MS)
      if (await make(fault)) made[fault.name] = (made[fault.name] ?? 0) + 1
      else open++
    }
  })
  await Promise.all(some)
}

/**
 * Everything that is open is denied, until no agent waits any more. Then the sessions end, each while the lines of all other
 * gateways are cut: they hear of it all the same.
 */
async function bringToRest({
  machines,
  sessions,
  notes,
  callers,
  areAllTold,
}: {
  readonly machines: readonly Machine[]
  readonly sessions: readonly HistoryAgent[]
  readonly notes: Notes
  readonly callers: Callers
  /** Whether every gateway has published all of the log. */
  readonly areAllTold: () => Promise<boolean>
}) {
  for (const machine of machines) await machine.ready()
  let count = 0
  const isAtRest = async () => {
    const looks = await Promise.all(sessions.map(({ sessionId }) => callers.look(sessionId)))
    const open = looks.flatMap((asks) => asks ?? [])
    for (const ask of open) await callers.answer(ask, { kind: 'deny', key: `last ${++count}`, most: 1 })
    return looks.every((asks) => asks?.length === 0) && sessions.every((agent) => agent.waiting().length === 0)
  }
  // Whoever still waits then is found by the check.
  await until(isAtRest, 'agents to be told', REST_MS).catch(() => {})
  for (const { sessionId, node } of sessions) {
    notes.ended.push(sessionId)
    const owner = machines.find((machine) => machine.node === node) as Machine
    for (const machine of machines) if (machine !== owner) machine.line.cut()
    await until(
      async () => {
        const [api] = owner.apis().slice(-1)
        const told = api && (await toldOverHttp(api.call('DELETE', `/api/sessions/${sessionId}`), () => {}))
        return told?.told === 'done' || told?.told === 'refused'
      },
      'the session to end',
      REST_MS,
    )
    await until(areAllTold, 'all to be published', REST_MS)
  }
}

/** How every ask ended, as this gateway shows it. */
async function readSettled({ name, apis }: Machine, { sightings }: Notes) {
  const [api] = apis().slice(-1)
  for (let next: string | undefined; ; ) {
    const query = new URLSearchParams({ status: 'settled', ...(next !== undefined && { next }) })
    const page = await (api as Place['api']).ok<{ asks: Ask[]; next?: string }>('GET', `/api/asks?${query}`)
    for (const { id, outcome } of page.asks) sightings.push({ by: name, askId: id, ...(outcome && { outcome }) })
    next = page.next
    if (next === undefined) return
  }
}
