import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createAttachedAgents } from '@holdpoint/agents/attached/attached-agents'
import { createClaudeDriver } from '@holdpoint/agents/claude/claude-driver'
import { createClaudeProgram } from '@holdpoint/agents/claude/claude-program'
import { createHostConnection, type HostConnection } from '@holdpoint/agents/claude/host-connection'
import type { InteractiveTool } from '@holdpoint/agents/claude/interactive-tool'
import { createInteractiveTools } from '@holdpoint/agents/claude/interactive-tools'
import { messageContent } from '@holdpoint/agents/claude/message-content'
import { whatChanged } from '@holdpoint/agents/claude/what-changed'
import { createTerminalDriver } from '@holdpoint/agents/pty/terminal-driver'
import { createTerminals } from '@holdpoint/agents/pty/terminals'
import { projectsDir } from '@holdpoint/agents/transcript/project-folder'
import type { AgentDriver } from '@holdpoint/core/driver'
import type { Store } from '@holdpoint/core/store'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { openSqliteStore } from '@holdpoint/store/sqlite-store'
import { createDemoAgent } from './demo-agent.ts'
import { createGateCheck } from './gate-check.ts'
import { createGateway, type Gateway, type GatewayOptions, type ListenOptions } from './gateway.ts'
import { systemClock } from './system-clock.ts'
import { terminalProgram } from './terminals/pty-routes.ts'
import { VERSION } from './version.ts'

export interface StartOptions
  extends Omit<
      GatewayOptions,
      'store' | 'lost' | 'drivers' | 'recheck' | 'whatChanged' | 'scratchFolder' | 'terminals' | 'hosted'
    >,
    ListenOptions {
  /** The host's program. */
  readonly hostMain: string
  /** The program that holds a terminal; beside the host's unless told otherwise. */
  readonly ptyMain?: string
  /** A `claude` to use instead of the one that comes with the SDK. */
  readonly claude?: string
  readonly environment: NodeJS.ProcessEnv
  /** Tools whose calls are put to people in a way of their own, beside the built-in ones. */
  readonly interactiveTools?: readonly InteractiveTool[]
  /** What to drive instead of the built-in agents alone: tests and benchmarks bring synthetic ones. */
  readonly drivers?: (builtIn: readonly AgentDriver[], host: HostConnection) => readonly AgentDriver[]
}

/** A whole gateway on a data folder: lock, store, host, agents, server. */
export async function startGateway(options: StartOptions): Promise<Gateway & { readonly url: string }> {
  const { dataDir, log } = options
  const lock = await lockDataFolder(dataDir)
  let store: Store | undefined
  try {
    store = await openSqliteStore({ path: join(dataDir, 'holdpoint.db'), lock })
    const { records } = store
    let isWanted = (_key: string) => true
    const host = createHostConnection({ dataDir, hostMain: options.hostMain, isWanted: (key) => isWanted(key) })
    const demo = createDemoAgent({ dataDir, records })
    const environment = agentEnvironment(options.environment)
    const warn = (message: string, details: Record<string, unknown>) => log.warn(message, details)
    const claude = createClaudeProgram({
      folder: join(dataDir, 'claude'),
      environment,
      info: (message, details) => log.info(message, details),
      checkGate: createGateCheck(join(dataDir, 'claude', 'gate-checks')),
      ...(options.claude !== undefined && { executable: options.claude }),
    })
    const settings = async (env: Record<string, string | undefined>) => {
      const { executable, notice } = await claude.load()
      return { env, ...(executable !== undefined && { executable }), ...(notice !== undefined && { notice }) }
    }

    const attached = createAttachedAgents({
      records,
      clock: options.clock ?? systemClock,
      warn,
      tools: createInteractiveTools(options.interactiveTools, warn),
    })

    const hosted = createTerminals()
    const gateway = await createGateway({
      ...options,
      store,
      lost: lock.lost,
      hosted,
      terminals: { attached, projects: projectsDir(environment, environment.HOME ?? homedir()) },
      recheck: async (ask, answer) => hosted.get(ask.sessionId)?.recheck(ask, answer),
      whatChanged,
      scratchFolder: async (agent) => (agent === 'demo' ? demo.scratchFolder() : undefined),
      drivers: (tools) => {
        isWanted = tools.isLive
        const shared = {
          host,
          loadSdk: async (say: (text: string) => void) => (await claude.load(say)).sdk,
          warn,
          content: (message: Parameters<typeof messageContent>[0]) => messageContent(message, tools.attachments.read),
          ...(options.interactiveTools && { tools: options.interactiveTools }),
        }
        const builtIn = [
          createClaudeDriver({
            ...shared,
            agent: 'claude',
            settings: () => settings(environment),
          }),
          createClaudeDriver({
            ...shared,
            agent: 'demo',
            settings: async () => settings(await demo.environment(options.environment)),
          }),
          createTerminalDriver({
            host,
            helperMain: options.ptyMain ?? join(dirname(options.hostMain), 'pty.js'),
            environment,
            terminals: hosted,
            program: (sessionId) => terminalProgram({ records }, sessionId),
            tools: createInteractiveTools(options.interactiveTools, warn),
            clock: options.clock ?? systemClock,
            hooks: attached.host,
            hasHooks: tools.isElsewhere,
            warn,
          }),
        ]
        return options.drivers?.(builtIn, host) ?? builtIn
      },
    })
    const url = await gateway.listen(options).catch(async (error: unknown) => {
      await gateway.close()
      await host.close()
      throw error
    })
    gateway.resume()
    lock.describe({ url, version: VERSION })
    // A host that runs is looked at even when no session needs it: it may hold agents of sessions that are over.
    if (existsSync(join(dataDir, 'host.sock')))
      host.client().catch((error: unknown) => warn('the host does not answer', { error: String(error) }))
    return {
      ...gateway,
      url,
      async close() {
        const closing = gateway.close()
        // Its sessions know by now that we leave: one that waits for a download is for the next gateway to start.
        claude.close()
        await closing
        await host.close()
        await demo.close()
        await store?.close()
        await lock.release()
      },
    }
  } catch (error) {
    await store?.close()
    await lock.release()
    throw error
  }
}

/** The agent runs as it would in a terminal, but knows none of our secrets. */
export function agentEnvironment(environment: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HOLDPOINT_')))
}
