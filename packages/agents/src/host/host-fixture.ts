import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import type { HostAgent } from './host-agent.ts'
import { connectHost, type HostClient } from './host-client.ts'
import { LineSplitter } from './line-splitter.ts'
import { runningProcess } from './processes.ts'

/** Real hosts in temporary folders, for tests. */
export interface HostFixture {
  readonly hostMain: string
  dataDir(): Promise<string>
  connect(dataDir: string, options?: { lingerMs?: number }): Promise<HostClient>
  /** Ends every host that was connected to and removes the folders that were made. */
  clean(): Promise<void>
  remove(): Promise<void>
}

export async function createHostFixture(): Promise<HostFixture> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'hp-host-')))
  const hostMain = join(root, 'host.mjs')
  const bundle = await rolldown({ input: join(import.meta.dirname, 'main.ts'), platform: 'node' })
  await bundle.write({ file: hostMain, format: 'esm' })
  await bundle.close()
  const hosts = new Set<number>()
  const folders = new Set<string>()

  async function clean(): Promise<void> {
    for (const pid of hosts) {
      if (await isRunning(pid)) process.kill(pid, 'SIGTERM')
    }
    for (const pid of hosts) await until(async () => !(await isRunning(pid)), 'the host to end')
    // A host that came second may still be writing there.
    const retry = { maxRetries: 20, retryDelay: 50 }
    for (const folder of folders) await rm(folder, { recursive: true, force: true, ...retry })
    hosts.clear()
    folders.clear()
  }

  return {
    hostMain,
    dataDir: async () => {
      const folder = await mkdtemp(join(root, 'data-'))
      folders.add(folder)
      return folder
    },
    connect: async (dataDir, options) => {
      const client = await connectHost({ dataDir, hostMain, ...options })
      hosts.add(client.pid)
      return client
    },
    clean,
    remove: async () => {
      await clean()
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Starts a program for Node as an agent. */
export function spawnScript(
  client: HostClient,
  options: { key?: string; script: string; env?: Record<string, string> },
) {
  const { key = 'agent', script, env = {} } = options
  return client.spawn({ key, command: process.execPath, args: ['-e', script], cwd: tmpdir(), env })
}

/** An agent that prints back what it reads. */
export const ECHO = `process.stdin.pipe(process.stdout)`

/** Speaks the control protocol: answers initialize, and does what the text of a message says. */
export const CONTROLLED = `
const print = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line)
  if (message.type === 'control_request') {
    return print({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id } })
  }
  print({ type: 'heard', message })
  for (const value of message.print ?? []) print(value)
})`

/** Collects what an agent says. */
export function listen(agent: HostAgent) {
  const lines: { n: number; line: string; replay: boolean }[] = []
  const answered: string[] = []
  agent.onLine((n, line, replay) => lines.push({ n, line, replay }))
  agent.onAnswered((requestId) => answered.push(requestId))
  return { lines, answered, text: () => lines.map(({ line }) => line) }
}

/** A connection that says what no proper gateway would. */
export async function openRaw(dataDir: string): Promise<{ socket: Socket; messages: Record<string, unknown>[] }> {
  const socket = connect(join(dataDir, 'host.sock'))
  const messages: Record<string, unknown>[] = []
  const splitter = new LineSplitter({ maxBytes: Number.MAX_SAFE_INTEGER })
  socket.on('data', (chunk: Buffer) => {
    for (const line of splitter.push(chunk)) messages.push(JSON.parse(line.toString()))
  })
  socket.on('error', () => {})
  await until(() => socket.readyState === 'open', 'the connection')
  return { socket, messages }
}

export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await delay(10)
  }
}

/** A zombie that nobody reaps does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  if (process.platform === 'linux') return (await runningProcess(pid)) !== undefined
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
