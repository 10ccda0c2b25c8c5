import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer } from '../postgres-server.ts'
import { until } from '../until.ts'
import type { DatabaseLine, Wire } from './database-line.ts'
import type { Machine } from './machine.ts'
import type { FaultName, PlannedFault } from './plan-faults.ts'

const LEAST_STOP_MS = 200
const LONGEST_STOP_MS = 5_000
const LONGEST_TOGETHER_MS = 400
/** So long a fault waits for a commit of its gateway. */
const COMMIT_MS = 4_000
/** So soon the caller has heard of a commit that its gateway was told of. */
const TOLD_MS = 40
/** So long all commits wait, and one of them is cut so long after it was sent. */
const HOLD_MS = 150
const CUT_AFTER_MS = 20
const HOLD = `BEGIN; LOCK TABLE holdpoint.events IN SHARE MODE; SELECT pg_sleep(${HOLD_MS / 1000}); COMMIT`
const IS_HELD = `SELECT FROM pg_locks WHERE relation = 'holdpoint.events'::regclass AND mode = 'ShareLock' AND granted`

export function createFaults({
  server,
  address,
  machines,
  revoke,
}: {
  readonly server: PostgresServer
  readonly address: string
  readonly machines: readonly Machine[]
  /** Has a credential revoked elsewhere while it answers at this gateway, which is not told of it meanwhile. */
  readonly revoke: (machine: Machine) => Promise<boolean>
}) {
  let restarting = Promise.resolve()

  /** One of those that have just worked. */
  async function endBackend(size: number) {
    const place = Math.floor(size * 4)
    const text = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdpoint' ORDER BY state_change DESC OFFSET ${place} LIMIT 1`
    await until(async () => (await server.sql(text).catch(() => [])).length > 0, 'a backend to end')
  }

  function restart(): Promise<void> {
    restarting = restarting.then(() => server.kill()).then(() => server.start())
    return restarting
  }

  /** The commit comes to PostgreSQL only when a later life of its gateway has begun. */
  function late(line: DatabaseLine, meanwhile: (wire: Wire) => void) {
    const work = (wire: Wire, bytes: Buffer) => {
      line.onceClaimed(() => !wire.server.destroyed && wire.server.write(bytes))
      meanwhile(wire)
    }
    return line.atCommit('sent', work, COMMIT_MS)
  }

  /** What was committed a moment ago is there afterwards. */
  function killAfterCommit(line: DatabaseLine) {
    let restarted = Promise.resolve()
    const work = ({ client }: Wire, bytes: Buffer) => {
      client.write(bytes)
      restarted = sleep(TOLD_MS).then(restart)
    }
    return line.atCommit('replied', work, COMMIT_MS).then(async (isMade) => {
      await (isMade ? restarted : restart())
    })
  }

  /** The gateway asks what became of its commit while that still waits in PostgreSQL. */
  function cutWhileHeld(line: DatabaseLine) {
    const work = async ({ client, server: postgres, leave }: Wire, bytes: Buffer) => {
      const holding = server.sql(HOLD, address).catch(() => {})
      const isHeld = async () => (await server.sql(IS_HELD, address)).length > 0
      await Promise.race([holding, until(isHeld, 'commits to wait').catch(() => {})])
      if (client.destroyed || postgres.destroyed) return
      postgres.write(bytes)
      setTimeout(leave, CUT_AFTER_MS)
    }
    return line.atCommit('sent', (wire, bytes) => void work(wire, bytes), COMMIT_MS)
  }

  const part = (bytes: Buffer, size: number) => bytes.subarray(0, Math.floor(size * bytes.length))

  const makers: Record<FaultName, (machine: Machine, size: number) => unknown> = {
    'gateway killed': (machine) => machine.kill(),
    // What the gateway has not said yet is not said: it sends nothing, or is told nothing.
    'gateway killed in a commit': (machine, size) =>
      machine.line.atCommit(size < 0.3 ? 'sent' : 'replied', () => machine.kill(), COMMIT_MS),
    async 'gateway stopped in a commit and woken'(machine, size) {
      let wake = () => {}
      const work = (wire: Wire, bytes: Buffer) => {
        wake = machine.stop()
        wire.server.write(bytes)
      }
      const isMade = await machine.line.atCommit('sent', work, COMMIT_MS)
      // Most are short.
      await sleep(LEAST_STOP_MS + size ** 4 * (LONGEST_STOP_MS - LEAST_STOP_MS))
      wake()
      return isMade
    },
    async 'stopped gateway woken beside its next life'(machine, size) {
      let replaced = Promise.resolve()
      const replace = () => {
        replaced = machine.replaceStopped(size * LONGEST_TOGETHER_MS)
      }
      if (!(await late(machine.line, replace))) replace()
      await replaced
    },
    'PostgreSQL backend ended': (_, size) => endBackend(size),
    'all of PostgreSQL killed': ({ line }) => killAfterCommit(line),
    'lines cut': ({ line }) => line.cut(),
    'commit cut on its way': ({ line }, size) =>
      line.atCommit('sent', (wire, bytes) => wire.endAfter(wire.server, part(bytes, size)), COMMIT_MS),
    'reply to a commit cut': ({ line }, size) =>
      line.atCommit('replied', (wire, bytes) => wire.endAfter(wire.client, part(bytes, size)), COMMIT_MS),
    'commit late': ({ line }) => late(line, ({ leave }) => leave()),
    'commit cut while it waits': ({ line }) => cutWhileHeld(line),
    'credential revoked unheard': revoke,
  }

  /** False: there was nothing to hit. */
  return async ({ name, gateway, size }: PlannedFault): Promise<boolean> => {
    const machine = machines[gateway] as Machine
    await machine.ready()
    return (await makers[name](machine, size)) !== false
  }
}
