import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { AgentSummary, HostMessage } from '../wire/host-message.ts'
import { type Environment, PROTOCOL_VERSIONS, socketPath } from '../wire/protocol.ts'
import { type AgentHandle, createAgentHandle, type HostAgent } from './host-agent.ts'
import { HostChannel, type Reply } from './host-channel.ts'
import { HostError } from './host-error.ts'
import { type StartedHost, startHost } from './start-host.ts'

export interface ConnectHostOptions {
  /** An absolute path; made when it is missing. */
  readonly dataDir: string
  /** The host's program, to start it when none runs. */
  readonly hostMain: string
  /** How long a host that is started here stays without agents and gateway. */
  readonly lingerMs?: number
  /** Aborting gives up connecting; it has no effect afterwards. */
  readonly signal?: AbortSignal
}

export interface SpawnOptions {
  /** Names the agent towards the host and every later gateway. */
  readonly key: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of the agent's environment: nothing is added. */
  readonly env: Environment
}

export interface HostClient {
  readonly pid: number
  /** The agents that the host held when we connected, ended ones that nobody has forgotten included. */
  agents(): readonly AgentSummary[]
  /** Rejects with `key-taken` or `cannot-start`. */
  spawn(options: SpawnOptions): Promise<HostAgent>
  /** Takes over an agent; undefined when the host does not have it. Lines up to `after` are acknowledged. */
  attach(options: { key: string; after: number }): Promise<HostAgent | undefined>
  /** Ends all agents and the host; resolves when it is gone. */
  shutdown(): Promise<void>
  /** Leaves the agents running. */
  close(): void
  /** Settles when the connection is no more: with undefined after `close` or `shutdown`, else with what ended it. */
  readonly closed: Promise<HostError | undefined>
}

const CONNECT_MS = 20_000
const RETRY_MS = 20

/** Connects to the data directory's host, and starts it when there is none. */
export async function connectHost(options: ConnectHostOptions): Promise<HostClient> {
  const path = socketPath(options.dataDir)
  if (path === undefined) {
    throw new HostError('path-too-long', `the data directory's path is too long for a socket: ${options.dataDir}`)
  }
  const deadline = performance.now() + CONNECT_MS
  let started: StartedHost | undefined
  for (;;) {
    options.signal?.throwIfAborted()
    const client = await dial(path, { signal: options.signal, deadline })
    if (client) return client
    const ended = started?.ended()
    if (ended === 'failed') throw new HostError('no-host', `the host did not start: ${await started?.log()}`)
    if (performance.now() > deadline) throw new HostError('no-host', `no host answers at ${path}`)
    if (!started || ended === 'taken') {
      const { dataDir, hostMain, lingerMs } = options
      started = await startHost({ dataDir, hostMain, lingerMs })
    }
    await delay(RETRY_MS)
  }
}

interface DialOptions {
  readonly signal: AbortSignal | undefined
  readonly deadline: number
}

/** Undefined when nobody is there, or somebody who is just leaving or does not answer. */
async function dial(path: string, { signal, deadline }: DialOptions): Promise<HostClient | undefined> {
  const socket = await openSocket(path)
  if (!socket) return undefined
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      socket.destroy()
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    const late = setTimeout(() => socket.destroy(), deadline - performance.now())
    const client = createClient(socket, (outcome) => {
      clearTimeout(late)
      signal?.removeEventListener('abort', abort)
      if (outcome instanceof HostError) reject(outcome)
      else resolve(outcome === 'welcome' ? client : undefined)
    })
  })
}

function openSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

function createClient(socket: Socket, onHello: (outcome: 'welcome' | 'gone' | HostError) => void): HostClient {
  const handles = new Map<string, AgentHandle>()
  let welcome: Extract<HostMessage, { t: 'welcome' }> | undefined
  let wanted = false
  let settleClosed = (_error: HostError | undefined): void => {}
  const closed = new Promise<HostError | undefined>((resolve) => {
    settleClosed = resolve
  })
  const channel = new HostChannel(socket, { onMessage, onClose })
  channel.send({ t: 'hello', versions: PROTOCOL_VERSIONS })

  return {
    get pid() {
      return welcome?.pid ?? 0
    },
    agents: () => welcome?.agents ?? [],
    spawn: (options) => {
      const { key, command, args, cwd, env } = options
      return channel.request({ t: 'spawn', key, command, args, cwd, env }, hold)
    },
    attach: ({ key, after }) =>
      channel.request({ t: 'attach', key, after }, hold).catch((error: unknown) => {
        if (error instanceof HostError && error.code === 'no-agent') return undefined
        throw error
      }),
    shutdown: async () => {
      wanted = true
      channel.send({ t: 'shutdown' })
      await closed
    },
    close: () => {
      wanted = true
      channel.close(new HostError('host-gone', 'the connection to the host is closed'))
    },
    closed,
  }

  function hold(reply: Reply): HostAgent {
    if (reply.t !== 'spawned' && reply.t !== 'attached')
      throw new TypeError(`${reply.t} is not a reply to spawn or attach`)
    handles.get(reply.key)?.lose('replaced')
    const handle = createAgentHandle(channel, reply)
    handles.set(reply.key, handle)
    return handle.agent
  }

  function onMessage(message: HostMessage) {
    switch (message.t) {
      case 'welcome':
        welcome = message
        return onHello('welcome')
      case 'refused':
        return channel.close(new HostError('version', `the host speaks versions ${message.versions.join(', ')} only`))
      case 'replaced':
        return channel.close(new HostError('replaced', 'a newer gateway has taken over'))
      case 'line':
      case 'answered':
      case 'stderr':
      case 'exit':
        return handles.get(message.key)?.hear(message)
    }
  }

  function onClose(error: HostError): void {
    for (const handle of handles.values()) handle.lose(error.code === 'replaced' ? 'replaced' : 'host-gone')
    if (!welcome) onHello(error.code === 'host-gone' ? 'gone' : error)
    settleClosed(wanted ? undefined : error)
  }
}
