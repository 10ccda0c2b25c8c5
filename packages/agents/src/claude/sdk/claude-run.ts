import type { Query, SDKMessage, SDKUserMessage } from '@anthropic-ai/claude-agent-sdk'
import {
  type AgentEnd,
  type AgentEvent,
  type AgentRun,
  DriverError,
  type DriverStart,
  isDetached,
  type OutgoingMessage,
  type RanTool,
} from '@holdpoint/core/driver'
import { generosity } from '@holdpoint/core/permission-generosity'
import type { AttachmentId, SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { HostAgent } from '../../host/client/host-agent.ts'
import { HostError } from '../../host/client/host-error.ts'
import { CallFolders } from '../../host/wire/call-folders.ts'
import { readControlLine } from '../../host/wire/control-line.ts'
import { skillsIn } from '../../host/wire/first-skills.ts'
import { runsAlone } from '../../processes/processes.ts'
import { type AgentLine, readLine } from '../asks/agent-line.ts'
import { inTime } from '../asks/in-time.ts'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { shortText } from '../asks/short-text.ts'
import { createSubagents } from '../asks/subagents.ts'
import type { WatchedFiles } from '../asks/watched-files.ts'
import type { Sdk } from '../program/claude-program.ts'
import { endOf } from './agent-end.ts'
import { agentEvents, createLiveReader } from './agent-messages.ts'
import { CLOSED_STREAM, createClosedStream } from './closed-stream.ts'
import { createHookRequests } from './hook-requests.ts'
import { createHostedProcess } from './hosted-process.ts'
import { createInputQueue } from './input-queue.ts'
import { type LaunchSettings, launchOptions } from './launch-options.ts'
import { createLineProgress } from './line-progress.ts'
import type { ContentBlocks } from './message-content.ts'
import { createModelCheck } from './model-check.ts'
import { offersOf } from './offers-of.ts'
import { createQuietTime } from './quiet-time.ts'
import { createResultPictures, type Picture } from './result-pictures.ts'
import { isTooGenerousFor } from './too-generous.ts'
import { createToolGate } from './tool-gate.ts'
import { unknownServer } from './unknown-server.ts'
import { createUsageReadings } from './usage-readings.ts'

const INITIALIZE_MS = 60_000
const INTERRUPT_MS = 5_000

interface ClaudeRunParts {
  readonly content: (message: OutgoingMessage) => Promise<ContentBlocks>
  readonly watchedFiles: (folder: string) => Promise<WatchedFiles>
  readonly keepPicture: (sessionId: SessionId, picture: Picture) => Promise<AttachmentId>
  readonly warn: LogFunction
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

/** One agent process under the SDK, from its start or from where an earlier gateway left it. */
export async function runClaude(parts: ClaudeRunParts): Promise<AgentRun> {
  const { tools, start, sdk, settings, attached, warn } = parts
  const input = createInputQueue<SDKUserMessage>()
  const progress = createLineProgress(start.attach?.checkpoint ?? 0)
  const subagents = createSubagents()
  const quiet = createQuietTime({ isTakenOver: attached !== undefined, now: () => performance.now() })
  const folders = new CallFolders(attached?.attached?.folders)
  /** What could be called by name at the start. Of an agent that was taken over only the host knows it. */
  let skills = attached?.attached?.skills
  const hooks = createHookRequests(attached?.attached?.open)
  const readLive = createLiveReader()
  const withPictures = createResultPictures((picture) =>
    // The result is worth more than its picture.
    parts.keepPicture(start.sessionId, picture).catch((error: unknown) => {
      warn('picture_not_kept', { sessionId: start.sessionId, error: String(error) })
      return undefined
    }),
  )
  const answered = new Set<string>()
  const isClosed = createClosedStream((toolUseId) => answered.has(toolUseId))
  const process = createHostedProcess((error) => {
    if (left.signal.aborted || gone) return
    // An answer or a message is lost on the way: the agent would wait for it for ever.
    void kill('agent-unreachable', `Data could not be sent to the agent: ${(error as Error).message}`)
  })
  const left = new AbortController()
  let ending: AgentEnd | undefined
  let gone = false
  /** The mode that people have set; the agent may be in a stricter one, never in a more generous one. */
  let mode = start.permissionMode
  let model = attached || start.resume === undefined ? undefined : start.model
  const checkModel = createModelCheck({ wanted: () => model, models: () => inTime(query.supportedModels()) })
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

  const { preToolUse, permissionDenied, ...gate } = createToolGate({
    gate: () => start.gate,
    isTrusted: start.isTrusted,
    // Those that are found later take none of these names.
    isNewSkill: (skill) => !skills?.includes(skill.replace(/^\//, '')),
    // An agent that was started with the folder's hooks keeps them, whatever becomes of the trust.
    ...(start.trusted && { watchedFiles: () => parts.watchedFiles(start.cwd) }),
    cwd: start.cwd,
    folderOf: (toolUseId) => folders.of(toolUseId),
    hookRequest: hooks.take,
    interrupt,
    onTimeout: start.onTimeout,
    tools,
    ask(request, options) {
      if (request.toolUseId !== undefined) answered.add(request.toolUseId)
      return start.ask(request, options)
    },
    judge: start.judge,
    warn: (message, details) => warn(message, { sessionId: start.sessionId, ...details }),
    notice: (text) => void commit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]),
    named: subagents.named,
    onPlanMode(wanted) {
      mode = wanted
    },
    wasCancelledByAgent: () => !left.signal.aborted && !gone,
    isDetaching: () => left.signal.aborted,
  })

  const query: Query = sdk.query({
    prompt: input.messages,
    options: {
      ...launchOptions(start, settings, { preToolUse, permissionDenied, ran }),
      ...gate,
      spawnClaudeCodeProcess: (options) => {
        spawned = attached ? Promise.resolve(attached) : parts.spawn(options)
        return process.process
      },
    },
  })
  const readings = createUsageReadings(query)
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
          kill('message-failed', `The message could not be delivered to the agent: ${String(error)}`),
        )
      }
    }
    hosted.onLine((line, text) => {
      const message = readLine(text)
      quiet.heard(message)
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
    if (control.type === 'report') process.answered(control.requestId)
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
      return commit([...(await readings.beforehand(!attached && start.resume !== undefined)), { type: 'ready' }])
    }
    if (first === 'late') return kill('agent-failed', 'Claude Code did not answer within a minute of its start.')
  }

  async function readMessages() {
    try {
      for await (const message of query) await take(message)
    } catch (error) {
      if (!left.signal.aborted && !ending)
        warn('agent_stream_ended', { sessionId: start.sessionId, error: String(error) })
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
    const isTooGenerous = isTooGenerousFor(mode, message)
    // One that was taken over may still tell of a mode that was taken back.
    if (isTooGenerous && message.subtype === 'init' && !attached) {
      return kill(
        'wrong-mode',
        `Claude Code started in a different permission mode than ${start.permissionMode}, so it was stopped.`,
      )
    }
    if (isTooGenerous) {
      warn('mode_set_back', { sessionId: start.sessionId, mode: message.permissionMode })
      void setBackMode()
    }
    // Only a trusted folder brings servers of its own. One that was taken over had its first turn under another gateway.
    const unknown = attached || start.trusted ? undefined : unknownServer(message, settings.mcpServers)
    if (unknown !== undefined) {
      return kill(
        'unknown-mcp-server',
        `The agent has an MCP server that nobody configured (${shortText(unknown)}), in a folder that is not trusted, so it was stopped.`,
      )
    }
    // Not recorded: a resume would go on in it.
    const said = agentEvents(message).filter(({ type }) => !isTooGenerous || type !== 'mode-changed')
    const events = [...(await withPictures(message, said)), ...(await checkModel(message))]
    if (events.length > 0) await commit(events, line)
    ;(await spawned)?.ack(progress.committed(uuid))
    if (message.type === 'result') void readings.context().then(commit)
    if (isClosed(message)) {
      await commit([{ type: 'item', item: { type: 'notice', level: 'error', text: CLOSED_STREAM } }])
      return kill('stream-closed', CLOSED_STREAM)
    }
  }

  /** A mode that was set but not recorded when the last gateway died was never acknowledged to anybody. */
  async function takeBackMode() {
    const { current_permission_mode: current } = (await initialized) as { current_permission_mode?: string }
    if (current === undefined || generosity(current) > generosity(mode)) await setBackMode()
  }

  async function setBackMode() {
    try {
      await initialized
      await inTime(query.setPermissionMode(mode))
    } catch (error) {
      if (left.signal.aborted || gone) return
      await kill(
        'wrong-mode',
        `Claude Code is in a different permission mode than ${mode} and could not be switched: ${String(error)}`,
      )
    }
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

  async function commit(events: readonly AgentEvent[], checkpoint?: number): Promise<void> {
    try {
      await start.emit(events, checkpoint)
    } catch (error) {
      // The next gateway reads the same output again.
      if (left.signal.aborted || isDetached(error)) return
      await kill('agent-failed', `A message of the agent could not be recorded: ${String(error)}`)
    }
  }

  function ran(tool: RanTool) {
    start.ran(tool).catch((error: unknown) => {
      warn('executed_call_not_compared', {
        sessionId: start.sessionId,
        toolUseId: tool.toolUseId,
        error: String(error),
      })
    })
  }

  async function send(message: OutgoingMessage) {
    const content = await parts.content(message)
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
        'Claude Code did not stop when it was interrupted, so it was ended. Resume the session to continue.',
      )
    }
  }

  return {
    send,
    interrupt,
    setMode,
    async setModel(wanted) {
      await inTime(query.setModel(wanted))
      model = wanted
    },
    memoryBytes: () => agent.memoryBytes(),
    offers: () => inTime(offersOf(query)),
    // What it has started would end with it: commands, and the servers that it keeps.
    quietMs: async () => (progress.isUpToDate() && (await runsAlone(agent.pid)) ? quiet.quietMs() : undefined),
    usage: readings.total,
    async stop(how) {
      ending ??= { reason: 'stopped' }
      // Told twice, or after it went by itself: then there is nothing to end.
      if (!gone) {
        await agent.kill(how === 'now' ? 'SIGKILL' : 'SIGTERM').catch((error: unknown) => {
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
