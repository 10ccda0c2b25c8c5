import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from './child.ts'

export const TOKEN = 'a-token-for-benchmarks-0123456789abcdef'

export interface GatewayParameters {
  readonly dataDir: string
  readonly token: string
  /** The built app, where a browser looks on. */
  readonly webFolder?: string
  /** Terminals or real agents are started over the API: the host ends with the gateway. */
  readonly usesHost?: boolean
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

/** A folder that is gone afterwards. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'holdpoint-bench-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }) }
}
