import { connect, type Socket } from 'node:net'
import { basename } from 'node:path'
import { HostChannel } from '@holdpoint/agents/host/client/host-channel'
import { HostError } from '@holdpoint/agents/host/client/host-error'
import { noteEndedAgents } from '@holdpoint/agents/host/ended-agents'
import type { HostMessage } from '@holdpoint/agents/host/wire/host-message'
import { PROTOCOL_VERSIONS, socketPath } from '@holdpoint/agents/host/wire/protocol'
import { Leftovers } from '@holdpoint/agents/processes/leftovers'
import { CliError } from './console/cli-error.ts'
import { familyMarks, findProcess, isRunning, type ProcessMark } from './process-watch.ts'
import { waitUntil } from './wait-until.ts'

export interface SeenHost {
  /** Unknown, like the agents, where the system does not show its processes. */
  readonly pid?: number
  readonly agents?: readonly number[]
}

export interface EndedHost {
  readonly pid: number
  readonly agents: number
}

type Welcome = Extract<HostMessage, { t: 'welcome' }>

const HELLO_MS = 3000
const LISTEN_MS = 3000
/** The host gives each agent two graces of two seconds, all at once, and then half a second for last words. */
const END_MS = 8000

/**
 * Looks at a data folder's host from outside. A hello would tell more, but the host would take its sender for the new
 * gateway and drop the old one.
 */
export async function lookAtHost(folder: string): Promise<SeenHost | undefined> {
  const found = await findProcess(
    (args) => basename(args[1] ?? '') === 'host.js' && args[args.indexOf('--data') + 1] === folder,
  )
  if (found) return { pid: found.pid, agents: found.children }
  const socket = await openSocket(folder)
  socket?.destroy()
  return socket && {}
}

/** Ends the host and every agent; nothing when there is no host. Not while a gateway runs: it would start another. */
export async function endHost(folder: string): Promise<EndedHost | undefined> {
  const seen = await lookAtHost(folder)
  if (!seen) {
    await new Leftovers(folder).end()
    return undefined
  }
  let socket: Socket | undefined
  // It may have been started a moment ago and not listen yet.
  await waitUntil(async () => {
    socket = await openSocket(folder)
    return socket !== undefined || (seen.pid !== undefined && !(await isRunning({ pid: seen.pid })))
  }, LISTEN_MS)
  const ending = socket && (await tellToEnd(socket, folder))
  const pid = ending?.pid ?? seen.pid
  if (pid === undefined)
    throw new CliError(
      `The agent host on ${folder} does not answer. End its process yourself ("host.js --data ${folder}").`,
    )
  // A host of another version understands the signal at least.
  if (!ending) signal(pid, 'SIGTERM')
  const agents = ending ? ending.agents : (seen.agents ?? [])
  const family = ending ? ending.family : await familyMarks([pid, ...agents])
  if (!(await goneWithin(family, END_MS))) {
    signal(pid, 'SIGKILL')
    await new Leftovers(folder).end()
    await goneWithin(family, END_MS)
  }
  const left = await stillRunning(family)
  if (left.length > 0)
    throw new CliError(`These processes did not end: ${left.join(', ')}. Try: kill -9 ${left.join(' ')}`)
  return { pid, agents: agents.length }
}

/** Undefined when the host is of another version or does not answer. */
async function tellToEnd(
  socket: Socket,
  folder: string,
): Promise<{ pid: number; agents: number[]; family: ProcessMark[] } | undefined> {
  const { channel, welcome } = await sayHello(socket)
  if (!welcome) {
    socket.destroy()
    return undefined
  }
  const running = welcome.agents.filter((agent) => !agent.exit)
  const agents = running.map(({ pid }) => pid)
  // Before the shutdown: afterwards it is unknown which processes belonged to an agent.
  const family = await familyMarks([welcome.pid, ...agents])
  // Before they end: nobody could say afterwards that a person wanted it.
  await noteEndedAgents(
    folder,
    running.map(({ key }) => key),
  )
  channel.send({ t: 'shutdown' })
  return { pid: welcome.pid, agents, family }
}

function sayHello(socket: Socket): Promise<{ channel: HostChannel; welcome?: Welcome }> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve({ channel }), HELLO_MS)
    const channel = new HostChannel(socket, {
      onMessage(message) {
        if (message.t === 'welcome') resolve({ channel, welcome: message })
        else if (message.t === 'refused') channel.close(new HostError('version', 'another version'))
      },
      onClose() {
        clearTimeout(late)
        resolve({ channel })
      },
    })
    channel.send({ t: 'hello', versions: PROTOCOL_VERSIONS })
  })
}

function openSocket(folder: string): Promise<Socket | undefined> {
  const path = socketPath(folder)
  if (path === undefined) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

async function stillRunning(family: readonly ProcessMark[]): Promise<number[]> {
  const running = await Promise.all(family.map(isRunning))
  return family.filter((_, index) => running[index]).map((mark) => mark.pid)
}

function goneWithin(family: readonly ProcessMark[], milliseconds: number): Promise<boolean> {
  return waitUntil(async () => (await stillRunning(family)).length === 0, milliseconds)
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}
