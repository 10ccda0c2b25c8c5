import { stat } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Leftovers } from '../../processes/leftovers.ts'
import { type GatewayMessage, PROTOCOL_VERSIONS, socketPath } from '../wire/protocol.ts'
import { AgentProcess } from './agent-process.ts'
import { claimSocket } from './claim-socket.ts'
import { Connection } from './connection.ts'

export interface HostOptions {
  /** Must exist; it is closed to other users. */
  readonly dataDir: string
  /** How long it stays when there is neither an agent nor a gateway. */
  readonly lingerMs: number
  /** Aborting ends every agent, then the host. */
  readonly signal: AbortSignal
}

export interface Host {
  /** Settles when the host has ended: because it was told to, or because nobody needed it any more. */
  readonly done: Promise<void>
}

const HIGH_WATER_BYTES = 4 * 1024 * 1024
const LAST_WORDS_MS = 500
const REACHABLE_CHECK_MS = 2000

/** Owns agents for whichever gateway is connected. Undefined when another host has the data directory. */
export async function createHost(options: HostOptions): Promise<Host | undefined> {
  const path = socketPath(options.dataDir)
  if (path === undefined) throw new Error(`the data directory's path is too long for a socket: ${options.dataDir}`)
  const leftovers = new Leftovers(options.dataDir)
  const agents = new Map<string, AgentProcess>()
  const starting = new Map<string, Promise<void>>()
  let gateway: Connection | undefined
  let ending: Promise<void> | undefined
  let lingering: NodeJS.Timeout | undefined
  let reachable: NodeJS.Timeout | undefined
  let settleDone = (): void => {}
  const done = new Promise<void>((resolve) => {
    settleDone = resolve
  })

  const server = createServer(welcomeSocket)
  // Before the first gateway can come: from then on there may be agents, and they must not be left behind.
  options.signal.addEventListener('abort', () => void shutdown(), { once: true })
  if (!(await claimSocket({ server, dataDir: options.dataDir, path, prepare: () => leftovers.end() }))) return undefined
  reachable = watchSocket(path, () => {
    if (!gateway) void shutdown()
  })
  lingerIfIdle()
  if (ending) server.close()
  return { done }

  function welcomeSocket(socket: Socket): void {
    const connection = new Connection(socket, {
      onMessage: (message) => {
        if (message.t === 'hello') return void hello(connection, message.versions)
        if (connection === gateway) return receive(connection, message)
        connection.send({ t: 'error', code: 'no-hello', message: 'send hello first' })
      },
      onDrain: () => {
        if (connection === gateway) for (const agent of agents.values()) agent.pump()
      },
      onClose: () => {
        if (connection !== gateway) return
        gateway = undefined
        for (const agent of agents.values()) agent.detach()
        lingerIfIdle()
      },
    })
  }

  async function hello(connection: Connection, versions: readonly number[]): Promise<void> {
    // Without a word: the gateway finds nobody here and starts the next host.
    if (ending) return connection.close()
    const version = PROTOCOL_VERSIONS.findLast((candidate) => versions.includes(candidate))
    if (version === undefined) {
      connection.send({ t: 'refused', code: 'version', versions: [...PROTOCOL_VERSIONS] })
      return connection.close()
    }
    // The newest gateway is the one that was started last: the older is stuck, or about to be gone.
    for (const agent of agents.values()) agent.detach()
    if (gateway && gateway !== connection) {
      gateway.send({ t: 'replaced' })
      void gateway.close()
    }
    gateway = connection
    clearTimeout(lingering)
    // An agent that the older gateway is just starting belongs on the list.
    await Promise.all(starting.values())
    const summaries = [...agents.values()].map((agent) => agent.summary())
    connection.send({ t: 'welcome', version, pid: process.pid, agents: summaries })
  }

  function receive(connection: Connection, message: Exclude<GatewayMessage, { t: 'hello' }>) {
    if (message.t === 'shutdown') return void shutdown()
    if (message.t === 'spawn') return spawn(connection, message)
    const agent = agents.get(message.key)
    const refuse = (code: string, text: string): void => {
      connection.send({ t: 'error', code, message: text, ...('id' in message ? { re: message.id } : {}) })
    }
    if (!agent) return refuse('no-agent', `there is no agent ${message.key}`)
    const { key } = agent
    switch (message.t) {
      case 'attach':
        return agent.attach(connection, { re: message.id, after: message.after })
      case 'ack':
        return agent.acknowledge(message.line)
      case 'write':
        return agent.write(message.line, (written) => {
          if (written === 'agent-gone') return refuse(written, `the agent ${key} is gone`)
          if (written === 'agent-busy') return refuse(written, `the agent ${key} does not read its input`)
          connection.send({ t: 'wrote', re: message.id, key, dropped: written === 'dropped' }, 'soon')
        })
      case 'kill':
        return void agent.group
          .end({ force: message.signal === 'SIGKILL' })
          .then(() => connection.send({ t: 'killed', re: message.id, key }))
      case 'memory':
        return void agent.group
          .memoryBytes()
          .then((bytes) =>
            connection.send({ t: 'memory', re: message.id, key, ...(bytes === undefined ? {} : { bytes }) }),
          )
      case 'forget':
        if (!agent.exit) return refuse('agent-running', `the agent ${key} has not ended`)
        agents.delete(key)
        return lingerIfIdle()
    }
  }

  function spawn(connection: Connection, message: Extract<GatewayMessage, { t: 'spawn' }>) {
    const { id: re, key } = message
    if (agents.has(key) || starting.has(key)) {
      return connection.send({ t: 'error', code: 'key-taken', message: `there is an agent ${key} already`, re })
    }
    const started = start(connection, message)
      .catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error)
        connection.send({ t: 'error', code: 'cannot-start', message: text, re })
      })
      .finally(() => {
        starting.delete(key)
        lingerIfIdle()
      })
    starting.set(key, started)
  }

  async function start(connection: Connection, message: Extract<GatewayMessage, { t: 'spawn' }>): Promise<void> {
    const { id: re, key } = message
    // Without this look a missing folder is reported as a missing program.
    const folder = await stat(message.cwd).catch(() => undefined)
    if (!folder?.isDirectory()) throw new Error(`there is no folder ${message.cwd}`)
    if (ending) throw new Error('the host is shutting down')
    const agent = await AgentProcess.start({ ...message, highWaterBytes: HIGH_WATER_BYTES })
    agents.set(key, agent)
    void agent.done.then(() => leftovers.remove(agent.pid))
    await leftovers.add(agent.pid)
    if (connection !== gateway) return
    connection.send({ t: 'spawned', re, key, pid: agent.pid })
    agent.follow(connection)
  }

  function lingerIfIdle(): void {
    clearTimeout(lingering)
    if (gateway || agents.size > 0 || starting.size > 0 || ending) return
    lingering = setTimeout(() => void shutdown(), options.lingerMs)
  }

  function shutdown(): Promise<void> {
    ending ??= end()
    return ending
  }

  async function end(): Promise<void> {
    clearTimeout(lingering)
    clearInterval(reachable)
    // Closing removes the socket's file, at once: from here on a gateway starts a host of its own.
    server.close()
    await Promise.all(starting.values())
    await Promise.all([...agents.values()].map((agent) => agent.group.end({ force: false })))
    const ends = Promise.all([...agents.values()].map((agent) => agent.done))
    // Output that the gateway has not taken stays unread, and its agent's end untold.
    await Promise.race([ends, delay(LAST_WORDS_MS)])
    await gateway?.close()
    settleDone()
  }
}

/** A host whose socket was removed or replaced can be reached by no gateway any more. */
function watchSocket(path: string, onLost: () => void): NodeJS.Timeout {
  const own = stat(path).catch(() => undefined)
  return setInterval(async () => {
    const [before, now] = await Promise.all([own, stat(path).catch(() => undefined)])
    if (before?.ino !== now?.ino) onLost()
  }, REACHABLE_CHECK_MS)
}
