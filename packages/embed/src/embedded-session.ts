import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { CanUseTool, HookJSONOutput, OnElicitation, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { hookOutput } from '@holdpoint/agents/claude/gate-hook'
import { inTime } from '@holdpoint/agents/claude/in-time'
import type { InteractiveTools } from '@holdpoint/agents/claude/interactive-tools'
import { sessionSettings } from '@holdpoint/agents/claude/launch-options'
import { messageContent } from '@holdpoint/agents/claude/message-content'
import { deny } from '@holdpoint/agents/claude/permission-result'
import { createToolGate, type ToolGate } from '@holdpoint/agents/claude/tool-gate'
import type { AgentEvent, DriverStart, OutgoingMessage, RanTool } from '@holdpoint/core/driver'
import type { NewId } from '@holdpoint/schema/id'
import { type Gate, type Session, StartSession } from '@holdpoint/schema/session'
import type { Context } from '@holdpoint/server/context'
import { existingFolder } from '@holdpoint/server/existing-folder'
import { createEmbeddedAgent } from './embedded-agent.ts'
import {
  type EmbeddedSession,
  EmbedError,
  type NewSessionOptions,
  type OnMessage,
  type ResumeOptions,
} from './holdpoint.ts'
import { interruptQuery } from './interrupt-query.ts'
import { createSessionHooks } from './session-hooks.ts'
import { whenEnded } from './when-ended.ts'

export interface EmbeddedSessionDeps {
  readonly context: Context
  readonly tools: InteractiveTools
  readonly newId: NewId
}

/** What Claude Code asks in the middle of a call, under an id that it makes up: no hook can hear of it. */
const UNHOOKED: readonly string[] = ['SandboxNetworkAccess']

const NO_HOOKS = 'session.hooks are not installed in this query'

/** Unrecorded reports of the agent; with more, it has to wait (I10). */
const MAX_UNRECORDED = 200

export function createEmbeddedSession(
  deps: EmbeddedSessionDeps,
  options: NewSessionOptions | ResumeOptions,
): EmbeddedSession {
  const { context, tools } = deps
  const { ledger, sessions } = context
  const { onMessage } = options
  const agent = createEmbeddedAgent({ handed: tools.watched, ...(onMessage && { send: handOver(onMessage) }) })
  const recording = 'resume' in options ? takenUp(options) : begun(options)
  const { id } = recording
  let session: Session | undefined
  let failure: unknown
  let unrecorded = 0
  let isToldUnheard = false
  let lastNote = Promise.resolve()
  /** What the gate knows the call by that it is just given. */
  const hookRequests = new Map<string, string>()

  const ready = recording.recorded.then((recorded) => {
    session = recorded
    return recorded
  })
  ready.catch((error: unknown) => {
    failure = error
    warn('an embedded session could not be recorded', { error: String(error) })
  })
  const running = ready.then(() => agent.started).then((start) => ({ start, gate: gateOf(start) }))
  running.then(({ start }) => start.emit([{ type: 'ready' }])).catch(() => {})

  const listening = createSessionHooks({ gate, tools, note, ran, refusal, wait })

  function gate(): Gate {
    return (session ?? recording).gate
  }

  function warn(message: string, details: Record<string, unknown>) {
    context.log.warn(message, { sessionId: id, ...details })
  }

  function begun(wanted: NewSessionOptions) {
    const { cwd, onMessage: _onMessage, ...rest } = wanted
    const { resume: _resume, trust: _trust, trustDigest: _digest, askTimeoutMs, ...start } = StartSession.parse(rest)
    const ids = { session: deps.newId('ses'), message: deps.newId('itm') }
    const record = async (): Promise<Session> => {
      const folder = await existingFolder(resolve(cwd))
      if (folder === undefined) throw new EmbedError('unknown-folder', `There is no folder at ${cwd}.`)
      const result = await sessions.start({
        ...start,
        askTimeoutMs: askTimeoutMs ?? undefined,
        cwd: folder,
        trusted: false,
        embedded: agent.driver,
        ids,
      })
      if (!result.ok) throw new Error(`the session was not started: ${result.refusal}`)
      return result.value
    }
    return { id: ids.session, gate: start.gate, recorded: record() }
  }

  function takenUp({ resume }: ResumeOptions) {
    const record = async (): Promise<Session> => {
      const result = await sessions.resume(resume, { trusted: false, embedded: agent.driver })
      if (result.ok) return result.value
      if (result.refusal === 'session_alive') throw new EmbedError('session-alive', `${resume} has not ended.`)
      if (result.refusal === 'not_supported')
        throw new EmbedError('not-embedded', `${resume} belongs to an agent that Holdpoint runs itself.`)
      throw new EmbedError('no-such-session', `There is no session ${resume}.`)
    }
    // Until the record is read, it might be so.
    return { id: resume, gate: 'everything' as const, recorded: record() }
  }

  function gateOf(start: DriverStart): ToolGate {
    return createToolGate({
      gate,
      // What its folder may do is for the program to say.
      isTrusted: () => true,
      cwd: start.cwd,
      folderOf: listening.folderOf,
      hookRequest(toolUseId) {
        const requestId = hookRequests.get(toolUseId)
        hookRequests.delete(toolUseId)
        return requestId
      },
      interrupt,
      onTimeout: start.onTimeout,
      tools,
      warn,
      notice(text) {
        start.emit([{ type: 'item', item: { type: 'notice', level: 'error', text } }]).catch((error: unknown) => {
          warn('a notice could not be recorded', { text, error: String(error) })
        })
      },
      named: listening.named,
      onPlanMode: (wanted) => void setModeAfterPlan(start, wanted),
      async ask(request, given) {
        try {
          return await start.ask(request, given)
        } catch (error) {
          // Nobody comes after us who would answer: what is left open here is a no (I4).
          throw agent.isOver() ? new EmbedError('closed', 'the session has ended') : error
        }
      },
    })
  }

  async function interrupt() {
    const query = agent.attached()
    if (!query) {
      const text = 'The agent was told no, but it could not be stopped: the program has attached no query.'
      void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
      return
    }
    await interruptQuery(query)
    // An interrupted turn ends without a word from the agent's hooks.
    listening.turnEnded()
  }

  async function setModeAfterPlan(start: DriverStart, wanted: DriverStart['permissionMode']) {
    try {
      const query = agent.attached()
      if (!query) throw new Error('the program has attached no query')
      await inTime(query.setPermissionMode(wanted))
      await start.emit([{ type: 'mode-changed', permissionMode: wanted }])
    } catch (error) {
      const text = `The agent was not put into the mode ${wanted}: ${messageOf(error)}.`
      void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
    }
  }

  /** In the order in which it is called: whoever waits for the record is called back in that order. */
  function note(events: readonly AgentEvent[]): Promise<void> | undefined {
    unrecorded++
    lastNote = running
      .then(({ start }) => start.emit(events))
      .catch((error: unknown) => warn('something that the agent did is not in its thread', { error: String(error) }))
      .finally(() => {
        unrecorded--
      })
    return unrecorded > MAX_UNRECORDED ? lastNote : undefined
  }

  /** Not waited for: the program may run the whole turn in it. */
  function handOver(onMessage: OnMessage) {
    const give = async (message: OutgoingMessage) => {
      listening.handedOver(message.text)
      const content = await messageContent(message, context.attachments.read)
      await onMessage({ text: message.text, content })
    }
    return async (message: OutgoingMessage) => {
      give(message).catch((error: unknown) => {
        const text = `The program could not give this message to the agent: ${messageOf(error)}`
        void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
        listening.turnEnded()
      })
    }
  }

  function ran(tool: RanTool) {
    running
      .then(({ start }) => start.ran(tool))
      .catch((error: unknown) =>
        warn('what ran could not be compared', { toolUseId: tool.toolUseId, error: String(error) }),
      )
  }

  function refusal(): string | undefined {
    if (failure !== undefined) return `This session is not on record (${messageOf(failure)}). Nothing is allowed in it.`
    if (agent.isOver()) return 'This session has ended. Nothing is allowed in it any more.'
    const isFrozen = ledger.views().get(id)?.session.frozen === true
    return isFrozen ? 'This session is frozen after an alarm. Nothing is allowed in it any more.' : undefined
  }

  /** Only the hooks make every call ask. A call that comes past them shows that others may run without a word (I4). */
  function unheard(name: string, toolUseId: string): string | undefined {
    if (gate() !== 'everything' || UNHOOKED.includes(name) || listening.folderOf(toolUseId) !== undefined)
      return undefined
    if (!isToldUnheard) {
      isToldUnheard = true
      const text = `${NO_HOOKS}: not every call asks, as it should in this session. What the agent may do by itself is not asked about, and not seen here. All else is denied.`
      void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
    }
    return `${NO_HOOKS}, so that not every call asks, as it has to in this session. This one was not allowed.`
  }

  /** Puts a request of the agent to people, and records that it has been told. */
  async function put<Result>(
    requestId: string,
    act: (gate: ToolGate) => Promise<Result>,
    no: (why: string) => Result,
    whyNot = refusal,
  ): Promise<Result> {
    try {
      const { start, gate } = await inTime(running, 'the record')
      const refused = whyNot()
      if (refused !== undefined) return no(refused)
      listening.working()
      const result = await act(gate)
      // After the SDK has it: a program that is killed before that has told the agent nothing.
      setImmediate(() => start.delivered([requestId]))
      return result
    } catch (error) {
      return no(refusal() ?? `Holdpoint could not put this to a person (${messageOf(error)}). It was not allowed.`)
    }
  }

  function wait(call: PreToolUseHookInput, signal: AbortSignal): Promise<HookJSONOutput> {
    const requestId = randomUUID()
    const act = (gate: ToolGate) => {
      hookRequests.set(call.tool_use_id, requestId)
      return gate.preToolUse(call, call.tool_use_id, { signal })
    }
    return put(requestId, act, (why) => hookOutput(deny(why)))
  }

  const canUseTool: CanUseTool = async (name, input, given) => {
    // Of no use for finding the call again, for this agent goes with its program; but two calls must not share an answer.
    const requestId = given.requestId ?? randomUUID()
    const act = (gate: ToolGate) => gate.canUseTool(name, input, { ...given, requestId })
    const whyNot = () => refusal() ?? unheard(name, given.toolUseID)
    const result = await put(requestId, act, (why) => deny(why, true), whyNot)
    // Told to stop, or stopped by somebody: the agent's hooks say nothing of it.
    if (given.signal.aborted || (result?.behavior === 'deny' && result.interrupt)) listening.turnEnded()
    return result
  }
  const onElicitation: OnElicitation = (request, given) => {
    const requestId = given.requestId ?? randomUUID()
    const act = (gate: ToolGate) => gate.onElicitation(request, { ...given, requestId })
    return put(requestId, act, () => ({ action: 'cancel' }))
  }
  const { hooks } = listening
  // What its folder may do is for the program to say.
  const settings = () => sessionSettings({ gate: gate(), trusted: true })

  return {
    id,
    ready,
    canUseTool,
    onElicitation,
    hooks,
    get settings() {
      return settings()
    },
    get options() {
      return { canUseTool, onElicitation, hooks, settings: settings() }
    },
    get vendorSessionId() {
      return listening.vendorSessionId() ?? session?.vendorSessionId
    },
    attach(query) {
      agent.attach(query)
      return query
    },
    async end() {
      await ready.catch(() => {})
      await lastNote
      agent.finish({ reason: 'ended-by-program' })
      await whenEnded(ledger, id)
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
