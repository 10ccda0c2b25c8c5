import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { HostConnection } from '@holdpoint/agents/host/client/host-connection'
import type { AskId, SessionId } from '@holdpoint/schema/id'
import { startGateway } from '@holdpoint/server/start-gateway'
import { createLog } from '@holdpoint/server/system/log'
import { readPostgresUrl } from '@holdpoint/store/postgres/address'
import { loadSqliteDriver } from '@holdpoint/store/sqlite-driver'
import { createSyntheticDriver, type SyntheticAgent } from '@holdpoint/testing/synthetic-driver'
import { machineNow, serveCommands } from './commands.ts'
import type { GatewayParameters, GatewayReady, Memory } from './gateway-process.ts'
import { AGENTS, type Load, runLoad } from './workload.ts'

const START_BATCH = 50

const parameters = JSON.parse(process.argv[2] ?? '{}') as GatewayParameters
const synthetic = createSyntheticDriver()
const { database } = parameters
let host: HostConnection | undefined
const gateway = await startGateway({
  dataDir: parameters.dataDir,
  host: '127.0.0.1',
  port: 0,
  token: parameters.token,
  ...(database && { database: { address: readPostgresUrl(database.url), machineName: database.machineName } }),
  idleMs: 3_600_000,
  ...(parameters.parkMs !== undefined && { parkMs: parameters.parkMs }),
  limits: { connectionsPerBrowser: 32, connectionsPerToken: 20_000 },
  log: createLog({ level: 'warn', write: (line) => process.stderr.write(line), now: Date.now }),
  hostMain: fileURLToPath(new URL('./host.js', import.meta.url)),
  ptyMain: fileURLToPath(new URL('../pty.js', import.meta.url)),
  ...(parameters.webFolder && { webFolder: parameters.webFolder }),
  environment: parameters.environment ?? {},
  drivers: (builtIn, connection) => {
    host = connection
    return [...builtIn, synthetic.driver]
  },
})
/** Where the agents are: an allow is taken only while it is the same folder. */
const folder = realpathSync(parameters.dataDir)
const agents: SyntheticAgent[] = []
let waiting: Promise<unknown>[] = []
let usedHost = parameters.usesHost === true

/** Gives the sessions of all that run. */
async function startAgents({ count }: { count: number }): Promise<readonly SessionId[]> {
  for (let from = agents.length; from < count; from += START_BATCH) {
    const batch = Array.from({ length: Math.min(START_BATCH, count - from) }, startAgent)
    agents.push(...(await Promise.all(batch)))
  }
  return agents.map(({ start }) => start.sessionId)
}

async function startAgent(): Promise<SyntheticAgent> {
  const started = await gateway.sessions.start({
    agent: 'synthetic',
    cwd: parameters.dataDir,
    permissionMode: 'default',
    gate: 'default',
    onTimeout: 'deny',
    trusted: false,
  })
  if (!started.ok) throw new Error(started.refusal)
  return synthetic.agentOf(started.value.id)
}

/** Each lane has its agents in turn: none may ask more than 60 times a second for long. */
async function roundTrip(load: Load) {
  await startAgents({ count: AGENTS })
  const context = load.isFolderless ? {} : { cwd: folder }
  return runLoad(load, async (lane, turn) => {
    const outcome = await agents[(lane + turn * load.inFlight) % AGENTS]?.ask({ context })
    if (outcome?.kind !== 'allowed') throw new Error(`an ask ended as ${outcome?.kind}`)
  })
}

/** Raises asks that stay open. The same ones again after a restart, as agents that live on do. */
async function open({ perSession }: { perSession: number }) {
  const all = [...synthetic.agents.values()]
  waiting = all.flatMap((agent) =>
    Array.from({ length: perSession }, (_, number) => {
      const command = `echo ${agent.start.sessionId} ${number}`
      return agent.ask({
        requestId: `open-${number}`,
        tool: { name: 'Bash', input: { command } },
        title: `Bash: ${command}`,
        context: { cwd: folder },
      })
    }),
  )
  for (const ask of waiting) ask.catch(() => {})
  while (openAsks() < all.length * perSession) await new Promise((resolve) => setImmediate(resolve))
}

function openAsks(): number {
  let count = 0
  for (const view of gateway.ledger.views().values()) count += view.asks.size
  return count
}

let chatting: NodeJS.Timeout | undefined

/** Agents that talk, each twice a second, as agents at work do. */
async function chatter({ sessions }: { sessions: number }) {
  await startAgents({ count: sessions + 1 })
  let turn = 0
  chatting = setInterval(() => {
    const agent = agents[1 + (turn++ % sessions)]
    void agent?.say(`Step ${turn}: I am reading **another file** and thinking about it.`)
  }, 500 / sessions)
}

/** One ask; says when it was known to be committed, by this process's clock and by the machine's. */
function raiseOne(): Promise<{ id: AskId; at: number; known: number }> {
  return new Promise((resolve) => {
    const stop = gateway.ledger.subscribe((stored) => {
      const at = Date.now()
      const known = machineNow()
      const raised = stored.find(({ event }) => event.type === 'ask-raised')?.event
      if (raised?.type !== 'ask-raised') return
      stop()
      resolve({ id: raised.ask.id, at, known })
    })
    void agents[0]?.ask().catch(() => {})
  })
}

async function settleOne({ id }: { id: AskId }) {
  await gateway.broker.withdraw(id, 'agent-cancelled')
}

/** Asks that stay open, each for a command of its own: `npm test -- part-0` and so on. */
async function openMany({ sessions, asks }: { sessions: number; asks: number }) {
  await startAgents({ count: sessions })
  for (let number = 0; number < asks; number++) {
    void agents[number % sessions]?.ask(commandAsk(`npm test -- part-${number}`)).catch(() => {})
  }
  while (openAsks() < asks) await new Promise((resolve) => setImmediate(resolve))
}

function commandAsk(command: string) {
  return {
    requestId: command,
    tool: { name: 'Bash', input: { command } },
    title: `Bash: ${command}`,
    context: { cwd: folder, command },
  }
}

let changing: NodeJS.Timeout | undefined

/** So many times a second an ask comes or goes. */
function change({ perSecond }: { perSecond: number }) {
  const ids: AskId[] = []
  const stop = gateway.ledger.subscribe((stored) => {
    for (const { event } of stored) if (event.type === 'ask-raised') ids.push(event.ask.id)
  })
  let turn = 0
  const timer = setInterval(() => {
    const old = turn++ % 2 ? ids.shift() : undefined
    if (old) void settleOne({ id: old })
    else void agents[turn % agents.length]?.ask(commandAsk(`echo ${turn}`)).catch(() => {})
  }, 1000 / perSecond)
  changing = timer
  timer.unref()
  stopChanging = stop
}
let stopChanging = () => {}

function changeNoMore() {
  clearInterval(changing)
  stopChanging()
}

/** A session with a long past: what was said, what was done, and what came of it. */
async function fillThread({ items }: { items: number }) {
  const agent = await startAgent()
  const last = 'This is the newest item.'
  const batch = 500
  for (let from = 0; from < items; from += batch) {
    await agent.start.emit(
      Array.from({ length: batch }, (_, offset) => {
        const number = from + offset
        if (number === items - 1)
          return { type: 'item', item: { type: 'message', role: 'assistant', text: last } } as const
        const toolUseId = `tool-${Math.floor(number / 3)}`
        if (number % 3 === 0) {
          const text = `Item ${number}. ${'Some **words** about `code` and what comes next. '.repeat(1 + (number % 7))}`
          return { type: 'item', item: { type: 'message', role: 'assistant', text } } as const
        }
        if (number % 3 === 1) {
          const input = { command: `grep -rn needle-${number} src` }
          return { type: 'item', item: { type: 'tool-call', toolUseId, name: 'Bash', input } } as const
        }
        const text = `src/file-${number}.ts:${number}: needle\n`.repeat(1 + (number % 20))
        return { type: 'item', item: { type: 'tool-result', toolUseId, text, isError: false } } as const
      }),
    )
  }
  return { id: agent.start.sessionId, last }
}

function memory(): Memory {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heapUsed, external }
}

const ready: GatewayReady = { url: gateway.url, sqlite: (await loadSqliteDriver()).name }
serveCommands(
  {
    startAgents,
    roundTrip,
    open,
    openAsks,
    chatter,
    quiet: () => clearInterval(chatting),
    raiseOne,
    openMany,
    change,
    changeNoMore,
    settleOne,
    fillThread,
    memory,
    hostPid: async () => (await host?.client())?.pid,
    /** One ask to everybody who listens; says when it was handed over. */
    async say({ text }: { text: string }) {
      await startAgents({ count: 1 })
      const at = machineNow()
      void agents[0]?.ask({ requestId: `said-${at}`, agentSays: text }).catch(() => {})
      return at
    },
    allSettled: () => Promise.all(waiting).then((outcomes) => outcomes.length),
    async startClaude({ cwd }: { cwd: string }) {
      usedHost = true
      const started = await gateway.sessions.start({
        agent: 'claude',
        cwd,
        prompt: 'go',
        permissionMode: 'default',
        gate: 'default',
        onTimeout: 'deny',
        trusted: false,
      })
      if (!started.ok) throw new Error(started.refusal)
      return started.value.id
    },
    async endSession({ id }: { id: SessionId }) {
      await gateway.sessions.end(id)
    },
    async close() {
      if (usedHost) await (await host?.client())?.shutdown()
      await gateway.close()
    },
  },
  ready,
)
