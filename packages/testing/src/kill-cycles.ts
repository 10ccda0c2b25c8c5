import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import type { AskRecord, ChainReport } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts'
import { until } from './until.ts'

export interface KillReport {
  readonly cycles: number
  readonly asked: number
  readonly acknowledged: number
  readonly told: number
  /** Answers that were acknowledged but never reached the agent. */
  readonly lost: string[]
  /** Answers that reached the agent twice, or reached one that had not asked. */
  readonly stray: string[]
  /** Allows that reached an agent without a row that says so, or with another input. */
  readonly unrecorded: string[]
  readonly chain: ChainReport
}

const OPEN = 3
const PAUSE_MS = 10

/**
 * Kills a gateway again and again while people answer, and counts what its agents were told. Every third cycle ends
 * between the commit and the delivery, every third between the delivery and its record, the others anywhere.
 */
export async function runKillCycles(options: {
  cycles: number
  sessions: number
  random: () => number
}): Promise<KillReport> {
  const root = await mkdtemp(join(tmpdir(), 'hp-kill-'))
  const dataDir = join(root, 'data')
  const notes = join(root, 'notes')
  await mkdir(notes)
  const env = { SYNTHETIC_NOTES: notes, SYNTHETIC_OPEN: String(OPEN), SYNTHETIC_TOTAL: '100000' }
  const acknowledged = new Map<string, string>()

  const failPoints = ['', 'before-delivery', 'before-record']
  for (let cycle = 0; cycle < options.cycles; cycle++) {
    const point = failPoints[cycle % failPoints.length]
    const failAt: Record<string, string> = point ? { FAIL_AT: `${point}:${1 + Math.floor(options.random() * 4)}` } : {}
    const gateway = await startGatewayProcess({ dataDir, env: { ...env, ...failAt } })
    if (cycle === 0) {
      for (let count = 0; count < options.sessions; count++) {
        await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'synthetic', cwd: root })
      }
    }
    await answerUntilKilled(gateway, { acknowledged, random: options.random, selfKills: point !== '' })
  }

  // One more gateway, left alone: whatever was committed has to arrive.
  const last = await startGatewayProcess({ dataDir, env })
  await until(async () => {
    const told = await readNotes(notes)
    const { asks } = await last.api.ok<{ asks: Ask[] }>('GET', '/api/asks?status=settled')
    const keys = [...acknowledged.keys(), ...asks.map(keyOf)]
    return keys.every((key) => told.some((entry) => entry.startsWith(`${key} `)))
  }, 'every outcome to arrive').catch(() => {})
  const open = (await last.api.openAsks()).map(keyOf)
  await last.stop()
  const host = await connectHost({ dataDir, hostMain: '' })
  await host.shutdown()
  const report = await judge({ dataDir, notes, acknowledged, open, cycles: options.cycles })
  await rm(root, { recursive: true, force: true })
  return report
}

async function answerUntilKilled(
  gateway: GatewayProcess,
  options: { acknowledged: Map<string, string>; random: () => number; selfKills: boolean },
) {
  const { random } = options
  let dead = false
  void gateway.exited.then(() => {
    dead = true
  })
  const killAfter = 2 + Math.floor(random() * 12)
  for (let answered = 0; !dead; answered++) {
    const asks = await gateway.api.openAsks().catch((): Ask[] => [])
    const ask = asks[Math.floor(random() * asks.length)]
    if (!ask) {
      // Not at once: the agents find their gateway on the same cores.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      continue
    }
    const kind = random() < 0.5 ? 'allow' : 'deny'
    const sending = gateway.api.answer(ask, { kind }).catch(() => undefined)
    if (!options.selfKills && answered >= killAfter) {
      // In the middle of an answer, at no particular moment.
      await new Promise((resolve) => setTimeout(resolve, random() * 4))
      await gateway.kill9()
    }
    const reply = await sending
    if (reply?.status === 200) options.acknowledged.set(keyOf(ask), kind)
    if (answered > 200) await gateway.kill9()
  }
  await gateway.exited
}

const keyOf = (ask: Pick<Ask, 'sessionId' | 'requestId'>) => `${ask.sessionId} ${ask.requestId}`

/** Lines `<session> <request> <behavior> <command…>` for what agents were told, and `<session> stray …`. */
async function readNotes(folder: string): Promise<string[]> {
  const lines: string[] = []
  for (const sessionId of await readdir(folder)) {
    for (const line of (await readFile(join(folder, sessionId), 'utf8')).split('\n')) {
      if (line.startsWith('told ')) lines.push(`${sessionId} ${line.slice(5)}`)
      if (line.startsWith('stray ')) lines.push(`${sessionId} ${line}`)
    }
  }
  return lines
}

async function judge(run: {
  dataDir: string
  notes: string
  acknowledged: Map<string, string>
  open: string[]
  cycles: number
}): Promise<KillReport> {
  const store = await openSqliteStore({ path: join(run.dataDir, 'holdpoint.db') })
  const records = new Map<string, AskRecord>()
  for (const record of await store.asks({ status: 'all', limit: 1_000_000 })) records.set(keyOf(record.ask), record)
  const chain = await store.verify()
  await store.close()

  const told = new Map<string, string[]>()
  const stray: string[] = []
  const unrecorded: string[] = []
  for (const entry of await readNotes(run.notes)) {
    const [sessionId = '', request = '', behavior = '', ...command] = entry.split(' ')
    if (request === 'stray') {
      stray.push(entry)
      continue
    }
    const key = `${sessionId} ${request}`
    told.set(key, [...(told.get(key) ?? []), behavior])
    const record = records.get(key)
    const recorded = record?.outcome?.kind === (behavior === 'allow' ? 'allowed' : 'denied')
    const same = behavior !== 'allow' || command.join(' ') === record?.ask.tool?.input.command
    if (!recorded || !same) unrecorded.push(entry)
  }
  for (const [key, behaviors] of told) if (behaviors.length > 1) stray.push(`${key} ${behaviors.join()}`)
  const lost = [...run.acknowledged].filter(([key, kind]) => told.get(key)?.[0] !== kind).map(([key]) => key)
  // An ask that is neither open nor told has vanished.
  for (const key of records.keys()) if (!told.has(key) && !run.open.includes(key)) lost.push(`${key} (vanished)`)
  const count = [...told.values()].length
  return {
    cycles: run.cycles,
    asked: records.size,
    acknowledged: run.acknowledged.size,
    told: count,
    lost,
    stray,
    unrecorded,
    chain,
  }
}
