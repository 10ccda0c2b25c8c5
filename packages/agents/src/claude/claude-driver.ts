import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import {
  type AgentDriver,
  type AgentEnd,
  type AgentEvent,
  type AgentRun,
  DriverError,
  type DriverStart,
  type OutgoingMessage,
  type RanTool,
} from '@holdpoint/core/driver'
import { StoreFault } from '@holdpoint/core/store'
import { CallFolders } from '../host/call-folders.ts'
import { readControlLine } from '../host/control-line.ts'
import { skillsIn } from '../host/first-skills.ts'
import type { HostAgent } from '../host/host-agent.ts'
import { HostError } from '../host/host-error.ts'
import { endOf } from './agent-end.ts'
import { type AgentLine, readLine } from './agent-line.ts'
import { agentEvents, createLiveReader } from './agent-messages.ts'
import type { Sdk } from './claude-program.ts'
import { createClosedStream } from './closed-stream.ts'
import { createHookRequests } from './hook-requests.ts'
import type { HostConnection } from './host-connection.ts'
import { createHostedProcess } from './hosted-process.ts'
import { inTime } from './in-time.ts'
import { createInputQueue } from './input-queue.ts'
import type { InteractiveTool } from './interactive-tool.ts'
import { createInteractiveTools, type InteractiveTools } from './interactive-tools.ts'
import { type LaunchSettings, launchOptions } from './launch-options.ts'
import { createLineProgress } from './line-progress.ts'
import type { ContentBlocks } from './message-content.ts'
import { generosity } from './permission-generosity.ts'
import { shortText } from './short-text.ts'
import { whyNotAsShown } from './shown-effect.ts'
import { createSubagents } from './subagents.ts'
import { createToolGate } from './tool-gate.ts'

export interface ClaudeDriverDeps {
  readonly agent: string
  readonly host: HostConnection
  /**
   * Loads the SDK when the first agent is started: it is large, and most of the time a gateway just waits. `say` is for
   * what the person who waits should know.
   */
  readonly loadSdk: (say: (text: string) => void) => Promise<Sdk>
  readonly settings: (start: DriverStart) => Promise<LaunchSettings>
  readonly content: (message: OutgoingMessage) => Promise<ContentBlocks>
  /** Tools that ask in a way of their own. They come before the built-in ones. */
  readonly tools?: readonly InteractiveTool[]
  readonly warn: (message: string, details: Record<string, unknown>) => void
}

const INITIALIZE_MS = 60_000
const INTERRUPT_MS = 5_000
const STORE_RETRY_MS = [100, 500, 2000, 5000]

export function createClaudeDriver(deps: ClaudeDriverDeps): AgentDriver {
  const tools = createInteractiveTools(deps.tools, deps.warn)
  return {
    agent: deps.agent,
    handed: tools.watched,
    whyNotAsShown,
    async start(start) {
      const host = await deps.host.client()
      const key = `${start.sessionId}.${start.epoch}`
      const attached = start.attach ? await host.attach({ key, after: start.attach.checkpoint }) : undefined
      if (start.attach && !attached && !start.attach.mayBeMissing) {
        throw new DriverError(
          'agent-gone',
          'The agent process ended while no gateway was watching. Resume the session to go on.',
        )
      }
      const spawn = async (options: { command: string; args: string[]; env: Record<string, string | undefined> }) => {
        const env = Object.fromEntries(
          Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
        )
        return host.spawn({ key, command: options.command, args: options.args, cwd: start.cwd, env })
      }
      try {
        const say = (text: string) => {
          start.emit([{ type: 'item', item: { type: 'notice', level: 'info', text } }]).catch(() => {})
        }
        const [sdk, settings] = await Promise.all([deps.loadSdk(say), deps.settings(start)])
        if (settings.notice !== undefined && !attached) say(settings.notice)
        return await runClaude({ deps, tools, start, sdk, settings, spawn, ...(attached && { attached }) })
      } catch (error) {
        // The session ends with this: its agent must not live on where nobody sees it.
        await attached?.kill('SIGKILL').catch(() => {})
        attached?.forget()
        throw error
      }
    },
  }
}

interface RunParts {
  readonly deps: ClaudeDriverDeps
  readonly tools: InteractiveTools
  readonly start: DriverStart
  readonly sdk: Sdk
  readonly settings: LaunchSettings
  readonly attached?: HostAgent
  readonly spawn: (options: {
    command: string
    args: string[]
    env: Record<string, string | undefined>
  }) => Promise<HostAgent>
}

async function runClaude({ deps, tools, start, sdk, settings, attached, spawn }: RunParts): Promise<AgentRun> {
  const input = createInputQueue<SDKUserMessage>()
  const progress = createLineProgress(start.attach?.checkpoint ?? 0)
  const subagents = createSubagents()
  const folders = new CallFolders(attached?.attached?.folders)
  /** What could be called by name at the start. Of an agent that was taken over only the host knows it. */
  let skills = attached?.attached?.skills
  const hooks = createHookRequests(attached?.attached?.open)
  const readLive = createLiveReader()
  const isClosed = createClosedStream()
  const process = createHostedProcess((error) => {
    if (left.signal.aborted || gone) return
    // An answer or a message is lost on the way: the agent would wait for it for ever.
    void kill('agent-unreachable', `Something could not be given to the agent: ${(error as Error).message}`)
  })
  const left = new AbortController()
  let ending: AgentEnd | undefined
  let gone = false
  /** The mode that people have set; the agent may be in a stricter one, never in a more generous one. */
  let mode = start.permissionMode
  let spawned: Promise<HostAgent> | undefined
  let finish = (_how: AgentEnd | 'detached') => {}
  const done = new Promise<AgentEnd | 'detached'>((resolve) => {
    finish = resolve
  })

  /** Everything the agent said has been taken. */
  let settleDrained = () => {}
  const drainedMessages = new Promise<void>((resolve) => {
    settleDrained = resolve
  })

  const { preToolUse, ...gate } = createToolGate({
    gate: () => start.gate,
    isTrusted: start.isTrusted,
    // Those that are found later take none of these names.
    isNewSkill: (skill) => !skills?.includes(skill.replace(/^\//, '')),
    cwd: start.cwd,
    folderOf: (toolUseId) => folders.of(toolUseId),
    hookRequest: hooks.take,
    interrupt,
    onTimeout: start.onTimeout,
    tools,
    ask: start.ask,
    warn: (message, details) => deps.warn(message, { sessionId: start.sessionId, ...details }),
    notice: (text) => void commit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]),
    named: subagents.named,
    onPlanMode: (wanted) => void setModeAfterPlan(wanted),
    isTakenBack: () => !left.signal.aborted && !gone,
    isLeaving: () => left.signal.aborted,
  })

  const query: Query = sdk.query({
    prompt: input.messages,
    options: {
      ...launchOptions(start, settings, { preToolUse, ran }),
      ...gate,
      spawnClaudeCodeProcess: (options) => {
        spawned = attached ? Promise.resolve(attached) : spawn(options)
        return process.process
      },
    },
  })
  // The SDK's own word on how it ended adds nothing to what the process tells.
  const initialized = query.initializationResult()
  initialized.catch(() => {})
  void readMessages()

  const agent = await startedAgent()
  follow(agent)
  void announceReady()

  async function startedAgent(): Promise<HostAgent> {
    try {
      // The SDK asks for the process within the same turn of the loop.
      if (!spawned) await new Promise<void>((resolve) => setImmediate(resolve))
      if (!spawned) await initialized
      if (!spawned) throw new DriverError('agent-failed', 'The SDK did not start an agent.')
      return await spawned
    } catch (error) {
      release()
      if (error instanceof DriverError) throw error
      const missing =
        (error as NodeJS.ErrnoException).code === 'ENOENT' ||
        (error instanceof HostError && error.code === 'cannot-start')
      if (!missing) throw error
      throw new DriverError(
        'agent-missing',
        `Claude Code could not be started (${(error as Error).message}). Install it, or set HOLDPOINT_CLAUDE to the path of your claude.`,
        { cause: error },
      )
    }
  }

  function follow(hosted: HostAgent) {
    process.connect(hosted)
    hosted.onAnswered((requestId) => start.delivered([requestId]))
    if (hosted.attached) {
      start.reattached(hosted.attached)
      const sent = start.attach?.sent
      if (sent && !hosted.attached.uuids.includes(sent.uuid)) {
        send(sent).catch((error: unknown) =>
          kill('message-failed', `The message could not be given to the agent: ${String(error)}`),
        )
      }
    }
    hosted.onLine((line, text) => {
      const message = readLine(text)
      if (message) arrived(message)
      const acknowledge = progress.arrived(line, message)
      process.push(text)
      if (acknowledge !== undefined) hosted.ack(acknowledge)
    })
    void hosted.exit.then((exit) => {
      gone = true
      process.end(exit.code, exit.signal)
      if (left.signal.aborted || exit.problem === 'replaced') return finish('detached')
      void drainedMessages.then(() => {
        // Not before its last words are recorded: until then the host has to keep them.
        if (exit.problem !== 'host-gone') hosted.forget()
        finish(ending ?? endOf(exit))
      })
    })
  }

  /** Before the SDK has it: what its callbacks are not told is read here. */
  function arrived(message: AgentLine) {
    subagents.arrived(message)
    if (!attached) skills ??= skillsIn(message)
    const control = readControlLine(message)
    if (!control) return
    folders.fromAgent(control)
    if (hooks.arrived(control)) start.reattached({ open: hooks.open(), answered: attached?.attached?.answered ?? [] })
  }

  async function announceReady() {
    const limit = new Promise<'late'>((resolve) => setTimeout(resolve, INITIALIZE_MS, 'late').unref())
    const first = await Promise.race([initialized.then(() => 'ready' as const), limit, done]).catch(
      (error: unknown) => error,
    )
    if (first === 'ready') {
      if (attached) await takeBackMode()
      return commit([{ type: 'ready' }])
    }
    if (first === 'late') return kill('agent-failed', 'Claude Code did not answer within a minute of its start.')
  }

  async function readMessages() {
    try {
      for await (const message of query) await take(message)
    } catch (error) {
      if (!left.signal.aborted && !ending)
        deps.warn('the agent stream ended', { sessionId: start.sessionId, error: String(error) })
    } finally {
      settleDrained()
    }
  }

  async function take(message: SDKMessage) {
    const live = readLive(message)
    if (live) start.live(live)
    const uuid = 'uuid' in message ? message.uuid : undefined
    const line = uuid === undefined ? undefined : progress.lineOf(uuid)
    if (line === undefined || uuid === undefined) return
    if (isTooGenerous(message)) {
      return kill(
        'wrong-mode',
        `Claude Code started in another permission mode than ${start.permissionMode}; it was stopped.`,
      )
    }
    const unknown = unknownServer(message)
    if (unknown !== undefined) {
      return kill(
        'unknown-mcp-server',
        `The agent has an MCP server that nobody set up here (${shortText(unknown)}), in a folder that is not trusted; it was stopped.`,
      )
    }
    const events = agentEvents(message)
    if (events.length > 0) await commit(events, line)
    ;(await spawned)?.ack(progress.committed(uuid))
    if (isClosed(message)) {
      const text =
        'Claude Code could not ask any more: it refused two calls because its stream was closed, so it was ended before it tried on for ever. It is taken up again, once as long as the gateway runs; after that, resume the session to go on.'
      await commit([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
      return kill('stream-closed', text)
    }
  }

  /** A mode that was set but not recorded when the last gateway died was never acknowledged to anybody. */
  async function takeBackMode() {
    const { current_permission_mode: current } = (await initialized) as { current_permission_mode?: string }
    if (current !== undefined && generosity(current) <= generosity(mode)) return
    await inTime(query.setPermissionMode(mode)).catch((error: unknown) =>
      kill(
        'wrong-mode',
        `Claude Code is in another permission mode than ${mode} and does not leave it: ${String(error)}`,
      ),
    )
  }

  function isTooGenerous(message: SDKMessage): boolean {
    if (attached || message.type !== 'system' || message.subtype !== 'init') return false
    return generosity(message.permissionMode) > generosity(mode)
  }

  /** Only a trusted folder brings servers of its own along; any other came from somewhere that we know nothing of. */
  function unknownServer(message: SDKMessage): string | undefined {
    // One that was taken over had its first turn under the gateway that started it, and the trust of that moment.
    if (attached || start.trusted || message.type !== 'system' || message.subtype !== 'init') return undefined
    const known = Object.keys(settings.mcpServers ?? {})
    return message.mcp_servers.find(({ name }) => !known.includes(name))?.name
  }

  async function setMode(wanted: DriverStart['permissionMode']) {
    const before = mode
    mode = wanted
    try {
      await inTime(query.setPermissionMode(wanted))
    } catch (error) {
      if (mode === wanted) mode = before
      throw error
    }
  }

  /** A store in trouble holds the agent up; it loses nothing. */
  async function commit(events: readonly AgentEvent[], checkpoint?: number): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await start.emit(events, checkpoint)
      } catch (error) {
        if (left.signal.aborted) return
        if (!(error instanceof StoreFault)) {
          return kill('agent-failed', `Something that the agent said cannot be recorded: ${String(error)}`)
        }
        deps.warn("the agent's output could not be recorded yet", { sessionId: start.sessionId, error: String(error) })
        const pause = STORE_RETRY_MS[Math.min(attempt, STORE_RETRY_MS.length - 1)] ?? 5000
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  async function setModeAfterPlan(wanted: DriverStart['permissionMode']) {
    try {
      await setMode(wanted)
      await commit([{ type: 'mode-changed', permissionMode: wanted }])
    } catch (error) {
      deps.warn('the mode after the plan was not set', { sessionId: start.sessionId, wanted, error: String(error) })
    }
  }

  function ran(tool: RanTool) {
    start.ran(tool).catch((error: unknown) => {
      deps.warn('what ran could not be compared', {
        sessionId: start.sessionId,
        toolUseId: tool.toolUseId,
        error: String(error),
      })
    })
  }

  async function send(message: OutgoingMessage) {
    const content = await deps.content(message)
    input.push({
      type: 'user',
      uuid: message.uuid as `${string}-${string}-${string}-${string}-${string}`,
      message: { role: 'user', content },
      parent_tool_use_id: null,
    })
  }

  async function kill(code: string, message: string) {
    ending = { reason: 'error', error: { code, message } }
    await agent.kill('SIGKILL').catch(() => {})
  }

  function release() {
    left.abort()
    process.release()
    input.close()
    query.close()
  }

  async function interrupt() {
    const limit = new Promise<'late'>((resolve) => setTimeout(resolve, INTERRUPT_MS, 'late').unref())
    const how = await Promise.race([query.interrupt().then(() => 'done' as const), limit, done]).catch(
      () => 'late' as const,
    )
    if (how === 'late') {
      await kill(
        'interrupt-failed',
        'Claude Code did not stop when it was interrupted, so it was ended. Resume the session to go on.',
      )
    }
  }

  return {
    send,
    interrupt,
    setMode,
    setModel: (model) => inTime(query.setModel(model)),
    memoryBytes: () => agent.memoryBytes(),
    async stop() {
      ending ??= { reason: 'stopped' }
      // Told twice, or after it went by itself: then there is nothing to end.
      if (!gone) {
        await agent.kill().catch((error: unknown) => {
          if (!gone) throw error
        })
      }
      await done
    },
    async detach() {
      release()
      finish('detached')
    },
    done,
  }
}
