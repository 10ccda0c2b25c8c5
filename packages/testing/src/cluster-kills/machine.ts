import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { NodeId } from '@holdpoint/schema/id'
import { type ApiClient, apiClient } from '../api-client.ts'
import { PROCESS_TOKEN } from '../gateway-process.ts'
import type { Stream } from '../histories/history.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { SHORT_LIVED_NODE } from '../short-lived-node.ts'
import { until } from '../until.ts'
import { startDatabaseLine } from './database-line.ts'
import { EXIT, type FromLife } from './life-messages.ts'

const PROGRAM = fileURLToPath(new URL('../../../../dist/testing/clustered-gateway.js', import.meta.url))
const AGAIN_MS = 50
const ERRORS_KEPT = 2_000

/** One life of a machine's gateway. */
interface Life {
  readonly child: ChildProcess
  readonly events: { readonly seq: number; readonly hash: string }[]
  api?: ApiClient
  node?: NodeId
  isOver: boolean
  errors: string
}

/** A machine with a gateway on a line of its own to PostgreSQL. A gateway that ends is started again at once. */
export async function startMachine(options: {
  readonly name: string
  readonly root: string
  readonly server: PostgresServer
  readonly address: string
  readonly agentsPort: number
}) {
  const { name, server } = options
  const dataDir = join(options.root, name)
  await mkdir(dataDir)
  const line = await startDatabaseLine(server.port)
  const address = options.address.replace(String(server.port), String(line.port))
  const lives: Life[] = []
  const crashes: string[] = []
  let displaced = 0
  let isClosed = false

  function begin(): Life {
    const { PATH } = process.env
    const child = spawn(
      process.execPath,
      [...SHORT_LIVED_NODE, PROGRAM, dataDir, name, address, String(options.agentsPort), String(lives.length)],
      {
        env: { PATH, HOME: dataDir, HOLDPOINT_TOKEN: PROCESS_TOKEN, NODE_COMPILE_CACHE: join(options.root, 'code') },
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      },
    )
    const life: Life = { child, events: [], isOver: false, errors: '' }
    lives.push(life)
    child.stderr?.on('data', (chunk) => {
      life.errors = (life.errors + chunk).slice(-ERRORS_KEPT)
    })
    child.on('message', (message: FromLife) => {
      if (message.type === 'published') life.events.push(...message.events)
      else Object.assign(life, { api: apiClient(message.url, PROCESS_TOKEN), node: message.node })
    })
    child.once('exit', (code, signal) => {
      life.isOver = true
      if (code === EXIT.displaced) displaced++
      else if (code !== EXIT.unreachable && signal !== 'SIGKILL')
        crashes.push(`${name}: ${code} ${signal} ${life.errors}`)
      if (isClosed || lives.at(-1) !== life) return
      if (signal === 'SIGKILL') begin()
      else setTimeout(() => void (!isClosed && lives.at(-1) === life && begin()), AGAIN_MS)
    })
    return life
  }

  const current = () => lives.at(-1) as Life
  const ready = () =>
    until(
      () => {
        const { api, isOver } = current()
        return !isOver && api
      },
      `a gateway of ${name}`,
      60_000,
    )

  /** Lives that may still take calls: the newest, and any that has not heard yet that it is over. */
  function apis(): readonly ApiClient[] {
    return lives.flatMap(({ isOver, api }) => (isOver || !api ? [] : [api]))
  }

  begin()
  await ready()

  return {
    name,
    node: current().node as NodeId,
    line,
    apis,
    ready,
    kill: () => void current().child.kill('SIGKILL'),
    /** Gives what wakes it up again. */
    stop() {
      const { child } = current()
      child.kill('SIGSTOP')
      return () => void child.kill('SIGCONT')
    },
    /** The stopped gateway wakes up beside its next life, and both think that they are the only one. */
    async replaceStopped(togetherMs: number) {
      const before = current()
      before.child.kill('SIGSTOP')
      begin()
      await ready()
      before.child.kill('SIGCONT')
      await sleep(togetherMs)
      // Its line may have been cut as well. Two that claim the node in turns would end each other for ever.
      before.child.kill('SIGKILL')
    },
    published: () => current().events.at(-1)?.seq ?? 0,
    /** For whoever looks at a run that has come to a standstill. */
    state() {
      const { api, isOver, errors } = current()
      const last = errors || lives.at(-2)?.errors
      return `${name}: life ${lives.length}, ${isOver ? 'over' : api ? 'ready' : 'starting'} ${last?.slice(-300)}`
    },
    report: () => ({ lives: lives.length, displaced, crashes }),
    streams: (): readonly Stream[] => lives.map(({ events }, index) => ({ gateway: `${name} (${index})`, events })),
    async close() {
      isClosed = true
      const alive = lives.filter(({ isOver }) => !isOver)
      for (const { child } of alive) child.kill('SIGKILL')
      await until(() => alive.every(({ isOver }) => isOver), 'the gateways to end')
      await line.close()
    },
  }
}
export type Machine = Awaited<ReturnType<typeof startMachine>>
