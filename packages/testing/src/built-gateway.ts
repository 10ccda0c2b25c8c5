import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ApiClient, apiClient } from './api-client.ts'
import { SHORT_LIVED_NODE } from './short-lived-node.ts'

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))
const READY_MS = 30_000

export interface CommandResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly env?: Record<string, string>
}

/** A command that was started and has not ended yet. */
export interface RunningCommand {
  /** What it has printed so far. */
  readonly output: Readonly<Output>
  readonly exited: Promise<CommandResult>
  kill(signal: NodeJS.Signals): void
}

export interface BuiltGateway {
  readonly url: string
  /** The single-use code of the ready line. */
  readonly loginCode: string
  readonly token: string
  readonly pid: number
  readonly dataDir: string
  readonly api: ApiClient
  /** What it has logged so far. */
  stderr(): string
  readonly exited: Promise<CommandResult>
  /** SIGTERM unless told otherwise; resolves when the process is gone. Agents go on. */
  stop(signal?: NodeJS.Signals): Promise<CommandResult>
  kill9(): Promise<CommandResult>
  /** Runs another command on the same data folder, with the same token. */
  command(args: readonly string[], options?: CommandOptions): Promise<CommandResult>
  /** The same, while it runs. */
  begin(args: readonly string[], options?: CommandOptions): RunningCommand
  /** Ends gateway, host and agents, and removes the data folder if it was made here. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface BuiltGatewayOptions {
  /** A folder to go on with; left out, a fresh one is made. */
  readonly dataDir?: string
  readonly token?: string
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
}

/** The built program, as a process of its own: `dist/cli.js start --port 0`. */
export async function startBuiltGateway(options: BuiltGatewayOptions = {}): Promise<BuiltGateway> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'hp-'))
  const token = options.token ?? randomBytes(32).toString('hex')
  const env = { HOLDPOINT_TOKEN: token, ...options.env }
  const child = spawnCli(['start', '--port', '0', '--data', dataDir, ...(options.args ?? [])], { home: dataDir, env })
  const output = collect(child)
  const exited = result(child, output)
  const ready = await readyLink(child, { output, exited })
  const [url = '', loginCode = ''] = ready.split(/\/login\/[\w-]+#login=/)
  const command: BuiltGateway['command'] = (args, { env: more } = {}) =>
    runCommand([...args, '--data', dataDir], { env: { ...env, ...more }, home: dataDir })

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<CommandResult> {
    child.kill(signal)
    return exited
  }

  return {
    url,
    loginCode,
    token,
    pid: child.pid ?? 0,
    dataDir,
    api: apiClient(url, token),
    stderr: () => output.stderr,
    exited,
    stop,
    kill9: () => stop('SIGKILL'),
    command,
    begin: (args, { env: more } = {}) =>
      beginCommand([...args, '--data', dataDir], { env: { ...env, ...more }, home: dataDir }),
    async [Symbol.asyncDispose]() {
      const stopped = await command(['stop', '--all'])
      if (stopped.code !== 0) throw new Error(`stop --all: ${stopped.stderr}`)
      await exited
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Runs one command of the built program to its end. It sees nothing of the environment but what is given. */
export async function runCommand(
  args: readonly string[],
  options: { env?: Record<string, string>; home?: string } = {},
): Promise<CommandResult> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'hp-home-'))
  try {
    const child = spawnCli(args, { home, env: options.env ?? {} })
    return await result(child, collect(child))
  } finally {
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
  }
}

/** Starts one command of the built program. It sees nothing of the environment but what is given. */
export function beginCommand(
  args: readonly string[],
  options: { env: Record<string, string>; home: string },
): RunningCommand {
  const child = spawnCli(args, options)
  const output = collect(child)
  return { output, exited: result(child, output), kill: (signal) => void child.kill(signal) }
}

function spawnCli(args: readonly string[], { home, env }: { home: string; env: Record<string, string> }): ChildProcess {
  // Not the caller's environment: credentials of this machine must not reach an agent that a test starts.
  const clean = { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: home, CLAUDE_CONFIG_DIR: join(home, '.claude') }
  return spawn(process.execPath, [...SHORT_LIVED_NODE, CLI, ...args], {
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

interface Output {
  stdout: string
  stderr: string
}

function collect(child: ChildProcess): Output {
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return output
}

function result(child: ChildProcess, output: Output): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, ...output }))
  })
}

async function readyLink(
  child: ChildProcess,
  seen: { output: Output; exited: Promise<CommandResult> },
): Promise<string> {
  const { output, exited } = seen
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      child.kill('SIGKILL')
      reject(new Error(`the gateway ${why}:\n${output.stdout}${output.stderr}`))
    }
    const late = setTimeout(() => fail('is not ready'), READY_MS)
    child.stdout?.on('data', () => {
      const link = /^Holdpoint is ready: (\S+)\n/m.exec(output.stdout)?.[1]
      if (link === undefined) return
      clearTimeout(late)
      resolve(link)
    })
    void exited.then(({ code }) => {
      clearTimeout(late)
      reject(new Error(`the gateway ended with ${code}:\n${output.stdout}${output.stderr}`))
    })
  })
}
