import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { CanUseTool, HookJSONOutput, OnElicitation, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { hookOutput } from '@holdpoint/agents/claude/asks/gate-hook'
import { inTime } from '@holdpoint/agents/claude/asks/in-time'
import type { InteractiveTools } from '@holdpoint/agents/claude/asks/interactive-tools'
import { deny } from '@holdpoint/agents/claude/asks/permission-result'
import { sessionSettings } from '@holdpoint/agents/claude/sdk/launch-options'
import { messageContent } from '@holdpoint/agents/claude/sdk/message-content'
import { createToolGate, type ToolGate } from '@holdpoint/agents/claude/sdk/tool-gate'
import type { AgentEvent, DriverStart, OutgoingMessage, RanTool } from '@holdpoint/core/driver'
import type { NewId } from '@holdpoint/schema/id'
import type { LogEvent } from '@holdpoint/schema/log-event'
import { type Gate, type Session, StartSession } from '@holdpoint/schema/session'
import type { Gateway } from '@holdpoint/server/gateway'
import type { Log } from '@holdpoint/server/system/log'
import { existingFolder } from '@holdpoint/server/trust/existing-folder'
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
  readonly gateway: Pick<Gateway, 'ledger' | 'sessions' | 'attachments'>
  readonly log: Log
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
  const { tools, log } = deps
  const { ledger, sessions, attachments } = deps.gateway
  const { onMessage } = options
  const agent = createEmbeddedAgent({
    watchedInput: tools.watchedInput,
    ...(onMessage && { send: handOver(onMessage) }),
  })
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
    warn('embedded_session_not_recorded', { error: String(error) })
  })
  const running = ready.then(() => agent.started).then((start) => ({ start, gate: gateOf(start) }))
  running.then(({ start }) => start.emit([{ type: 'ready' }])).catch(() => {})

  const listening = createSessionHooks({ note, ran, refusal, decide })

  function gate(): Gate {
    return (session ?? recording).gate
  }

  function warn(event: LogEvent, details: Record<string, unknown> = {}) {
    log.warn(event, { sessionId: id, ...details })
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
          warn('notice_not_recorded', { text, error: String(error) })
        })
      },
      named: listening.named,
      judge: start.judge,
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
      const text = 'The agent got the denial, but it could not be stopped: the program has attached no query.'
      void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
      return
    }
    await interruptQuery(query)
    // An interrupted turn ends without a word from the agent's hooks.
    listening.turnEnded()
  }

  /** In the order in which it is called: whoever waits for the record is called back in that order. */
  function note(events: readonly AgentEvent[]): Promise<void> | undefined {
    unrecorded++
    lastNote = running
      .then(({ start }) => start.emit(events))
      .catch((error: unknown) => warn('agent_event_not_recorded', { error: String(error) }))
      .finally(() => {
        unrecorded--
      })
    return unrecorded > MAX_UNRECORDED ? lastNote : undefined
  }

  /** Not waited for: the program may run the whole turn in it. */
  function handOver(onMessage: OnMessage) {
    const give = async (message: OutgoingMessage) => {
      listening.handedOver(message.text)
      const content = await messageContent(message, attachments.read)
      await onMessage({ text: message.text, content })
    }
    return async (message: OutgoingMessage) => {
      give(message).catch((error: unknown) => {
        const text = `The program could not deliver this message to the agent: ${messageOf(error)}`
        void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
        listening.turnEnded()
      })
    }
  }

  function ran(tool: RanTool) {
    running
      .then(({ start }) => start.ran(tool))
      .catch((error: unknown) =>
        warn('executed_call_not_compared', { toolUseId: tool.toolUseId, error: String(error) }),
      )
  }

  function refusal(): string | undefined {
    if (failure !== undefined) return `This session is not recorded (${messageOf(failure)}). Nothing is allowed in it.`
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
      const text = `${NO_HOOKS}, but every call must ask in this session. Calls that the agent may make by itself are not asked about and not shown here. All other calls are denied.`
      void note([{ type: 'item', item: { type: 'notice', level: 'error', text } }])
    }
    return `${NO_HOOKS}, but every call must ask in this session. This call was not allowed.`
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
      return no(refusal() ?? `Holdpoint could not ask a person (${messageOf(error)}). It was not allowed.`)
    }
  }

  function decide(call: PreToolUseHookInput, signal: AbortSignal): Promise<HookJSONOutput> {
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
