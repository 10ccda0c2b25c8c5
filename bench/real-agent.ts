import { mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { claudeEnvironment } from '@holdpoint/testing/real-claude'
import { type Child, startChild } from './child.ts'
import { type CycleModel, startCycleModel } from './cycle-model.ts'
import { type GatewayProcess, startGatewayProcess, temporaryFolder } from './gateway-process.ts'

/** The first cycles of a conversation: caches fill, code is compiled. */
const WARM_UP = 5

/**
 * `same`: the callbacks that the gateway registers, before, for and after each call. `hook`: the same, but the hook before
 * the call allows it. `ask`: `canUseTool` alone.
 */
export type FloorCallbacks = 'same' | 'hook' | 'ask'

export interface RealAgent extends AsyncDisposable {
  readonly gateway: GatewayProcess
  /** Times of the cycles of one conversation, in milliseconds. */
  throughGateway(): Promise<readonly number[]>
  throughSdk(callbacks: FloorCallbacks): Promise<readonly number[]>
}

/** Claude Code on a scripted model, through a gateway whose asks a WebSocket client allows, and through the SDK alone. */
export async function startRealAgent({ cycles }: { cycles: number }): Promise<RealAgent> {
  const folder = await temporaryFolder()
  const model: CycleModel = await startCycleModel(cycles + WARM_UP)
  const home = join(folder.path, 'home')
  await mkdir(home)
  const environment = claudeEnvironment({ home, url: model.url })
  const gateway = await startGatewayProcess({ dataDir: join(folder.path, 'data'), environment })
  const floor: Child = await startChild('floor-main')
  const client: Child = await startChild('client-main')
  await client.call('connect', { url: gateway.ready.url, to: 'gateway', answers: true, count: 1 })
  const newFolder = () => mkdtemp(join(folder.path, 'project-'))

  return {
    gateway,
    async throughGateway() {
      const cwd = await newFolder()
      let id: string | undefined
      const times = await model.record(async () => {
        id = await gateway.call<string>('startClaude', { cwd })
      })
      await gateway.call('endSession', { id })
      return times.slice(WARM_UP)
    },
    async throughSdk(callbacks) {
      const cwd = await newFolder()
      const times = await model.record(() => floor.call('start', { cwd, home, modelUrl: model.url, callbacks }))
      await floor.call('stop')
      return times.slice(WARM_UP)
    },
    async [Symbol.asyncDispose]() {
      for (const part of [client, floor, gateway, model, folder]) await part[Symbol.asyncDispose]()
    },
  }
}
