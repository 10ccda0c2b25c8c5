import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '../postgres-server.ts'
import { until } from '../until.ts'
import type { Machine } from './machine.ts'

/** In fifty faults. Each is made at a random machine, except where it is one of PostgreSQL. */
const IN_FIFTY = {
  'gateway killed': 8,
  'gateway stopped and woken': 6,
  'stopped gateway woken beside its next life': 4,
  'PostgreSQL backend ended': 10,
  'all of PostgreSQL killed': 2,
  'lines cut': 5,
  'replies lost': 12,
  'requests lost': 3,
} as const
type FaultName = keyof typeof IN_FIFTY

const LEAST_STOP_MS = 200
const LONGEST_STOP_MS = 5_000
/** Long enough for a commit under load to be among what is lost. */
const LEAST_LOSS_MS = 50
const LONGEST_LOSS_MS = 150
const LONGEST_TOGETHER_MS = 400

/** So many faults in a random order, in which each kind has its share. */
export function faultDeck(count: number, random: () => number): readonly FaultName[] {
  const fifty = Object.entries(IN_FIFTY).flatMap(([name, share]) => Array<FaultName>(share).fill(name as FaultName))
  const deck = Array.from({ length: count }, (_, index) => fifty[index % fifty.length] as FaultName)
  return deck
    .map((name) => ({ name, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ name }) => name)
}

export function createFaults({
  server,
  machines,
  random,
}: {
  readonly server: PostgresServer
  readonly machines: readonly Machine[]
  readonly random: () => number
}) {
  let restarting = Promise.resolve()

  /** Most are short. */
  const stopMs = () => LEAST_STOP_MS + random() ** 4 * (LONGEST_STOP_MS - LEAST_STOP_MS)

  async function lose({ proxy }: Machine, what: 'dropRequests' | 'dropResponses') {
    proxy[what](true)
    await sleep(LEAST_LOSS_MS + random() * (LONGEST_LOSS_MS - LEAST_LOSS_MS))
    proxy[what](false)
  }

  /** One of those that have just worked. */
  async function endBackend() {
    const place = Math.floor(random() * 4)
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdpoint' ORDER BY state_change DESC OFFSET ${place} LIMIT 1`
    await until(async () => (await server.sql(text).catch(() => [])).length > 0, 'a backend to end')
  }

  function restart(): Promise<void> {
    restarting = restarting.then(() => server.kill()).then(() => server.start())
    return restarting
  }

  const makers: Record<FaultName, (machine: Machine) => Promise<void> | void> = {
    'gateway killed': (machine) => machine.kill(),
    'gateway stopped and woken': (machine) => machine.stop(stopMs()),
    'stopped gateway woken beside its next life': (machine) => machine.replaceStopped(random() * LONGEST_TOGETHER_MS),
    'PostgreSQL backend ended': endBackend,
    'all of PostgreSQL killed': restart,
    'lines cut': ({ proxy }) => proxy.cut(),
    'replies lost': (machine) => lose(machine, 'dropResponses'),
    'requests lost': (machine) => lose(machine, 'dropRequests'),
  }

  return async (name: FaultName) => {
    await makers[name](machines[Math.floor(random() * machines.length)] as Machine)
  }
}
