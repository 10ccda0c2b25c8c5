import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'

export const TOKEN = 'a-token-for-benchmarks-0123456789abcdef'

export interface GatewayParameters {
  readonly dataDir: string
  readonly token: string
  /** Where the log is, if not in the data folder, and what this machine is called there. */
  readonly database?: { readonly url: string; readonly machineName: string }
  /** The built app, where a browser looks on. */
  readonly webFolder?: string
  /** Terminals or real agents are started over the API: the host ends with the gateway. */
  readonly usesHost?: boolean
  /** Agents that have had nothing to do for so long are parked. */
  readonly parkMs?: number
  /** What the real agents get. */
  readonly environment?: Record<string, string>
}

export interface GatewayReady {
  readonly url: string
  readonly sqlite: string
}

export interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
}

export type GatewayProcess = Child<GatewayReady>

/** A gateway as users run it, in a process of its own; `HOLDPOINT_BENCH_PROFILE` names a folder for a CPU profile. */
export function startGatewayProcess(options: Omit<GatewayParameters, 'token'>): Promise<GatewayProcess> {
  const profile = process.env.HOLDPOINT_BENCH_PROFILE
  return startChild<GatewayReady>('gateway-main', {
    parameters: { ...options, token: TOKEN },
    execArgv: ['--expose-gc', ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  })
}

/** One on a database that others share, with a data folder of its own that is gone afterwards. */
export async function startSharedGateway(url: string, machineName: string): Promise<GatewayProcess> {
  const folder = await temporaryFolder()
  const remove = () => folder[Symbol.asyncDispose]()
  try {
    const gateway = await startGatewayProcess({ dataDir: folder.path, database: { url, machineName } })
    return {
      ...gateway,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A folder that is gone afterwards. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) }
}
