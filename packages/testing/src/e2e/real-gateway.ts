import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHost } from '@holdpoint/agents/host/client/host-client'
import { startDemoModel } from '@holdpoint/demo-model/demo-model'
import type { Script } from '@holdpoint/demo-model/script'
import type { Ask } from '@holdpoint/schema/ask'
import type { Item } from '@holdpoint/schema/item'
import type { Session, SessionState } from '@holdpoint/schema/session'
import { isSessionIn } from '../api-client.ts'
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts'
import { claudeEnvironment } from '../real-claude.ts'
import { until } from '../until.ts'

/**
 * The whole path: the real Claude Code on a scripted model, the real host, the real gateway as a process of its own, the
 * real store. Each session plays the script that its first message names.
 */
export async function startRealGateway(options: { scripts: Record<string, Script>; env?: Record<string, string> }) {
  const root = await mkdtemp(join(tmpdir(), 'hp-real-'))
  const home = join(root, 'home')
  const dataDir = join(root, 'data')
  await mkdir(home)
  const model = await startDemoModel({
    script: (call) => {
      const name = /scenario:([\w-]+)/.exec(call.firstUserText)?.[1] ?? ''
      const script = options.scripts[name]
      if (!script) throw new Error(`no script for ${call.firstUserText}`)
      return script(call)
    },
  })
  const env = { ...claudeEnvironment({ home, url: model.url }), ...options.env }
  let gateway: GatewayProcess = await startGatewayProcess({ dataDir, env })
  let count = 0

  /** Starts a session in a folder of its own, and speaks about it as a test wants to. */
  async function session(scenario: string, start: Record<string, unknown> = {}) {
    const marker = `scenario:${scenario} number ${++count}.`
    const cwd = join(root, `project-${count}`)
    await mkdir(cwd, { recursive: true })
    const { prepare, ...body } = start as { prepare?: (cwd: string) => Promise<void> }
    await prepare?.(cwd)
    const { id, projectId } = await gateway.api.ok<Session>('POST', '/api/sessions', {
      agent: 'claude',
      cwd,
      prompt: marker,
      ...body,
    })
    const read = () => gateway.api.ok<Session>('GET', `/api/sessions/${id}`)
    const isIn = (state: SessionState) => isSessionIn(gateway.api, { id, projectId }, state)
    return {
      id,
      cwd,
      read,
      asks: () => gateway.api.openAsks(id),
      /** The next open ask that fits, as soon as it is there. */
      ask: (fits: (ask: Ask) => boolean = () => true): Promise<Ask> =>
        until(async () => {
          const found = (await gateway.api.openAsks(id)).find(fits)
          if (!found && (await isIn('dead'))) throw new Error(`the session ended: ${JSON.stringify(await read())}`)
          return found
        }, `an ask of ${scenario}`),
      isIdle: () => isIn('user_turn'),
      /** Waits for the agent to have finished what it was doing. */
      idle: () => until(() => isIn('user_turn'), `${scenario} to be idle`),
      ended: () => until(async () => (await isIn('dead')) && read(), `${scenario} to end`),
      answer: async (ask: Ask, answer: Record<string, unknown>) => {
        const reply = await gateway.api.answer(ask, answer)
        if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
        return reply.body.outcome
      },
      send: (text: string, attachments?: string[]) =>
        gateway.api.ok('POST', `/api/sessions/${id}/messages`, { text, ...(attachments && { attachments }) }),
      /** The reply, also where it refuses. */
      trySend: (text: string) => gateway.api.call('POST', `/api/sessions/${id}/messages`, { text }),
      items: async () => (await gateway.api.ok<{ items: Item[] }>('GET', `/api/sessions/${id}/items?limit=500`)).items,
      file: (name: string) => readFile(join(cwd, name), 'utf8').catch(() => undefined),
      /** What the model was last told in this conversation. */
      told: () =>
        JSON.stringify(
          model.requests.filter(({ messages }) => JSON.stringify(messages).includes(marker)).at(-1)?.messages,
        ),
    }
  }

  return {
    root,
    home,
    dataDir,
    model,
    session,
    get api() {
      return gateway.api
    },
    get gateway() {
      return gateway
    },
    /** At the address it had: whoever was connected comes back by itself. */
    async restart(more: Record<string, string> = {}) {
      const { port } = new URL(gateway.url)
      gateway = await startGatewayProcess({ dataDir, env: { ...env, PORT: port, ...more } })
    },
    async [Symbol.asyncDispose]() {
      await gateway.stop()
      const host = await connectHost({ dataDir, hostMain: '' }).catch(() => undefined)
      await host?.shutdown()
      await model.close()
      // The agents that were told to end may still be writing.
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}
export type RealGateway = Awaited<ReturnType<typeof startRealGateway>>
export type RealSession = Awaited<ReturnType<RealGateway['session']>>
