import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { apiClient } from './api-client.ts'
import { SHORT_LIVED_NODE } from './short-lived-node.ts'

export const PROCESS_TOKEN = 'a-token-for-tests-0123456789abcdef0123456789'
const PROGRAM = fileURLToPath(new URL('../../../dist/testing/failing-gateway.js', import.meta.url))

/** A gateway as a process of its own, to be killed. `limits` are the shell's `ulimit` for it and what it starts. */
export async function startGatewayProcess(options: {
  dataDir: string
  env?: Record<string, string>
  limits?: string
  nodeOptions?: readonly string[]
}) {
  const node = [process.execPath, ...SHORT_LIVED_NODE, ...(options.nodeOptions ?? []), PROGRAM, options.dataDir]
  const limited = ['/bin/sh', '-c', `ulimit ${options.limits} && exec "$0" "$@"`, ...node]
  const [command = '', ...args] = options.limits ? limited : node
  const child: ChildProcess = spawn(command, args, {
    env: { PATH: process.env.PATH, HOLDPOINT_TOKEN: PROCESS_TOKEN, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  let output = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const found = /ready: (http\S+)\/login\//.exec(output)?.[1]
      if (found) resolve(found)
    })
    void exited.then(() => reject(new Error(`the gateway ended before it was ready: ${errors}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    api: apiClient(url, PROCESS_TOKEN),
    errors: () => errors,
    exited,
    async kill9() {
      child.kill('SIGKILL')
      await exited
    },
    async stop() {
      child.kill('SIGTERM')
      return (await exited)[0]
    },
  }
}
export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>
