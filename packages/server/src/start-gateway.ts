import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import type { InteractiveTool } from '@holdpoint/agents/claude/asks/interactive-tool'
import { createInteractiveTools } from '@holdpoint/agents/claude/asks/interactive-tools'
import { whatChanged } from '@holdpoint/agents/claude/asks/what-changed'
import { createAttachedAgents } from '@holdpoint/agents/claude/attached/attached-agents'
import { createClaudeProgram } from '@holdpoint/agents/claude/program/claude-program'
import { machineFolders } from '@holdpoint/agents/claude/program/machine-programs'
import { createClaudeDriver } from '@holdpoint/agents/claude/sdk/claude-driver'
import { messageContent } from '@holdpoint/agents/claude/sdk/message-content'
import { claudeConfigDir, projectsDir } from '@holdpoint/agents/claude/transcript/project-folder'
import { createHostConnection, type HostConnection } from '@holdpoint/agents/host/client/host-connection'
import { readEndedAgents } from '@holdpoint/agents/host/ended-agents'
import { createTerminalDriver } from '@holdpoint/agents/hosted/terminal-driver'
import { createTerminals } from '@holdpoint/agents/hosted/terminals'
import type { AgentDriver } from '@holdpoint/core/driver'
import { StoreFault } from '@holdpoint/core/store'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { CHANGE_LIMITS } from './changes/change-store.ts'
import { createChangeThread } from './changes/change-thread.ts'
import { recordsOfNode } from './cluster/node-records.ts'
import { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
import type { ListenOptions } from './gateway-server.ts'
import { closeLog, type OpenedLog, openLog, type SharedDatabase } from './open-log.ts'
import { guardedFiles } from './policy/guarded-files.ts'
import { CHANGES_WAIT_MS } from './services/changed-files.ts'
import { createDemoAgent } from './services/demo-agent.ts'
import { createGateCheck } from './services/gate-check.ts'
import { createClock, systemClock } from './system/system-clock.ts'
import { VERSION } from './system/version.ts'
import { keepLastScreen } from './terminals/last-screens.ts'
import { otherHooks, wantingPerson } from './terminals/other-hooks.ts'
import { readTerminalProgram } from './terminals/terminal-programs.ts'

export interface StartOptions
  extends Omit<
      GatewayOptions,
      'store' | 'cluster' | 'lost' | 'drivers' | 'whatChanged' | 'scratchFolder' | 'terminals' | 'hosted'
    >,
    ListenOptions {
  /** Where the log is, if it is not in the data folder. */
  readonly database?: SharedDatabase
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

interface StartedGateway extends Gateway {
  readonly url: string
  /**
   * Aborts, with a `StoreFault`, when it has to end: another gateway has taken its place among those on the database
   * (`fenced`), or the database has another log than before (`replaced`).
   */
  readonly over: AbortSignal
  /** Starts a session in which the demo agent shows how asks look. */
  startDemo(): Promise<void>
}

/** A whole gateway on a data folder: lock, store, host, agents, server. */
export async function startGateway(options: StartOptions): Promise<StartedGateway> {
  const { dataDir, log } = options
  const lock = await lockDataFolder(dataDir)
  let opened: OpenedLog | undefined
  try {
    const { database } = options
    opened = await openLog({ dataDir, lock, ...(database && { database }) })
    const { store, cluster, attachmentBytes } = opened
    const records = recordsOfNode(store.records, cluster)
    const over = new AbortController()
    for (const why of opened.warnings) log.warn('database_at_risk', { why })
    cluster?.onDisplaced(() => over.abort(new StoreFault('fenced', DISPLACED)))
    cluster?.onReplaced(() => over.abort(new StoreFault('replaced', REPLACED)))
    const clock = options.clock ?? (cluster ? createClock(() => cluster.now()) : systemClock)
    let isWanted = (_key: string) => true
    const host = createHostConnection({ dataDir, hostMain: options.hostMain, isWanted: (key) => isWanted(key) })
    const demo = createDemoAgent({ dataDir, records })
    const isWithheld = withheldWith(database)
    const environment = agentEnvironment(options.environment, isWithheld)
    const { warn } = log
    const claude = createClaudeProgram({
      folder: join(dataDir, 'claude'),
      environment,
      info: log.info,
      checkGate: createGateCheck(join(dataDir, 'claude', 'gate-checks')),
      ...(options.claude !== undefined && { executable: options.claude }),
    })
    const settings = async (env: Record<string, string | undefined>) => {
      const { executable, notice } = await claude.load()
      return { env, ...(executable !== undefined && { executable }), ...(notice !== undefined && { notice }) }
    }

    const hookProgram = { hookMain: join(dirname(options.hostMain), 'hook.sh'), dataDir }
    const attached = createAttachedAgents({
      records,
      clock,
      warn,
      tools: createInteractiveTools(options.interactiveTools, warn),
      mayOthersAnswer: otherHooks(hookProgram),
    })

    const hosted = createTerminals()
    const guarded = guardedFiles(environment, dirname(options.hostMain))
    const home = environment.HOME ?? homedir()
    const changes = createChangeThread(join(dirname(options.hostMain), 'changes.js'), {
      folder: join(dataDir, 'changes'),
      // Beside settings it has conversations of other sessions, and the login.
      leftOut: [dataDir, claudeConfigDir(environment, home), ...guarded],
      leftIn: demo.writable,
      home,
      limits: CHANGE_LIMITS,
      waitMs: CHANGES_WAIT_MS,
    })
    const ended = await readEndedAgents(dataDir)
    const gateway = await createGateway({
      ...options,
      wasStopped: ({ id, epoch }) => ended.has(`${id}.${epoch}`),
      clock,
      store,
      ...(cluster && { cluster }),
      ...(attachmentBytes && { attachmentBytes }),
      lost: lock.lost,
      hosted,
      terminals: { attached, projects: projectsDir(environment, home) },
      whatChanged,
      unguarded: demo.writable,
      guarded,
      changes,
      scratchFolder: async (agent) => (agent === 'demo' ? demo.scratchFolder() : undefined),
      drivers: (tools) => {
        isWanted = tools.isLive
        const shared = {
          host,
          loadSdk: async (say: (text: string) => void) => (await claude.load(say)).sdk,
          warn,
          watchedFiles: tools.watchedFiles,
          content: (message: Parameters<typeof messageContent>[0]) => messageContent(message, tools.attachments.read),
          keepPicture: tools.attachments.keep,
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
            isWithheld,
            terminals: hosted,
            program: (sessionId) => readTerminalProgram(records, sessionId),
            keepLastScreen: (life, screen) => keepLastScreen(store.records, life, screen),
            tools: createInteractiveTools(options.interactiveTools, warn),
            clock,
            hooks: attached.host,
            hasHooks: tools.isElsewhere,
            mayWantPerson: wantingPerson(hookProgram),
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
      host.client().catch((error: unknown) => warn('host_unreachable', { error: String(error) }))
    return {
      ...gateway,
      url,
      over: over.signal,
      async startDemo() {
        await gateway.sessions.start({
          agent: 'demo',
          cwd: await demo.scratchFolder(),
          prompt: 'Show me around',
          title: 'Tour',
          permissionMode: 'default',
          gate: 'default',
          trusted: false,
        })
      },
      async close() {
        // Nobody is sent to an address that soon may be somebody else's (T64).
        lock.describe({ version: VERSION })
        const closing = gateway.close()
        // Its sessions know by now that we leave: one that waits for a download is for the next gateway to start.
        claude.close()
        await closing
        await host.close()
        await demo.close()
        await closeLog({ store, ...(cluster && { cluster }) })
        await lock.release()
      },
    }
  } catch (error) {
    if (opened) await closeLog(opened)
    await lock.release()
    throw error
  }
}

const DISPLACED =
  'Another gateway has started with the identity of this machine: was its data folder copied? This one ends. Give one of them a data folder of its own with --data.'

const REPLACED =
  'The log in the database is not the one that was read before: a backup was restored, or a standby took over without the newest events. This one ends, because what it remembers was decided on the log before. Start it again: agents and open asks wait for that.'

/** Whether a variable is kept from agents and terminals (T72). With a database, those of its clients may hold the password. */
function withheldWith(database: SharedDatabase | undefined): (name: string) => boolean {
  return (name) => name.startsWith('HOLDPOINT_') || (database !== undefined && name.startsWith('PG'))
}

const SYSTEM_PATH = '/usr/bin:/bin'
/** What `npm` and `npx` export of the folder that they were called in. */
const OF_NPM = /^(npm_|INIT_CWD$)/

/**
 * The agent runs as it would in a terminal, but knows none of our secrets, and nothing of the project that the gateway was
 * started in decides what it runs: `npx` puts that project's programs in front of the PATH.
 */
export function agentEnvironment(
  environment: NodeJS.ProcessEnv,
  isWithheld: (name: string) => boolean = withheldWith(undefined),
): Record<string, string | undefined> {
  const own = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !isWithheld(name) && !OF_NPM.test(name)),
  )
  // npm makes these of its settings.
  if (environment.npm_config_node_options !== undefined) delete own.NODE_OPTIONS
  if (environment.npm_config_editor !== undefined) delete own.EDITOR
  // An empty one would stand for the folder that a shell is in.
  const path = machineFolders(own).join(delimiter) || SYSTEM_PATH
  return own.PATH === undefined ? own : { ...own, PATH: path }
}
