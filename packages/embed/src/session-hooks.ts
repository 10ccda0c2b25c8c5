import type {
  BaseHookInput,
  HookCallback,
  HookInput,
  HookJSONOutput,
  PreToolUseHookInput,
  SDKMessage,
} from '@anthropic-ai/claude-agent-sdk'
import { HOOK_TIMEOUT_SECONDS, hookOutput } from '@holdpoint/agents/claude/asks/gate-hook'
import { deny } from '@holdpoint/agents/claude/asks/permission-result'
import type { Subagent } from '@holdpoint/agents/claude/asks/subagents'
import { agentEvents } from '@holdpoint/agents/claude/sdk/agent-messages'
import { CallFolders } from '@holdpoint/agents/host/wire/call-folders'
import type { AgentEvent, RanTool } from '@holdpoint/core/driver'
import { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { SessionHookEvent, SessionHooks } from './holdpoint.ts'

export interface SessionHooksDeps {
  /** Records what the agent did. Never rejects; waits only when too much is unrecorded. */
  readonly note: (events: readonly AgentEvent[]) => Promise<void> | undefined
  readonly ran: (tool: RanTool) => void
  /** The gate, before anything else is asked about a call. */
  readonly decide: (call: PreToolUseHookInput, signal: AbortSignal) => Promise<HookJSONOutput>
  /** Why no tool may be used any more, if none may. */
  readonly refusal: () => string | undefined
}

export interface ListeningHooks {
  readonly hooks: SessionHooks
  /** The agent is at work, whatever was heard before. */
  working(): void
  /** A message that is in the thread already is on its way to the agent. */
  handedOver(text: string): void
  /** The agent's turn was ended in a way that its hooks do not tell. */
  turnEnded(): void
  named(agentId: unknown): Subagent
  /** The folder in which a call acts, if it was heard of before it ran, as far as that is remembered. */
  folderOf(toolUseId: string): string | undefined
  vendorSessionId(): string | undefined
}

type InputOf<Name extends SessionHookEvent> = Extract<HookInput, { hook_event_name: Name }>
type Handler<Name extends SessionHookEvent> = (input: InputOf<Name>, signal: AbortSignal) => Promise<HookJSONOutput>
type AnyHandler = (input: HookInput, signal: AbortSignal) => Promise<HookJSONOutput>
type Handlers = { [Name in SessionHookEvent]: Handler<Name> }

/** Prompts that no program and no person wrote: they are not shown. */
const OWN_PROMPTS: readonly unknown[] = ['system', 'loop_wakeup', 'schedule_wakeup', 'poll_event']

/**
 * What the hooks of Claude Code tell of a conversation, as a driver would tell it. They say nothing of its start and end,
 * of a turn that was interrupted, of what it thinks, and of all that a subagent says but its last words.
 */
export function createSessionHooks(deps: SessionHooksDeps): ListeningHooks {
  const names = new Map<string, string>()
  const succeeded = new Set<string>()
  const texts = new Map<string, string>()
  const folders = new CallFolders()
  let vendorSessionId: string | undefined
  let mode: string | undefined
  let isWorking = false
  /** Words of a person that the agent has not reported yet. */
  let handed: string | undefined

  async function heard(input: BaseHookInput, events: readonly AgentEvent[]): Promise<HookJSONOutput> {
    const news = [...identity(input), ...events]
    if (news.length > 0) await deps.note(news)
    return {}
  }

  function identity(input: BaseHookInput): AgentEvent[] {
    const events: AgentEvent[] = []
    if (input.session_id !== vendorSessionId) {
      vendorSessionId = input.session_id
      events.push({ type: 'identified', vendorSessionId })
    }
    const told = PermissionMode.safeParse(input.permission_mode)
    if (told.success && told.data !== mode) {
      mode = told.data
      events.push({ type: 'mode-changed', permissionMode: told.data })
    }
    return events
  }

  function started(): AgentEvent[] {
    if (isWorking) return []
    isWorking = true
    return [{ type: 'turn-started' }]
  }

  function ended(): AgentEvent[] {
    isWorking = false
    handed = undefined
    succeeded.clear()
    texts.clear()
    return [{ type: 'turn-ended' }]
  }

  function ran(input: InputOf<'PostToolUse' | 'PostToolUseFailure'>) {
    const response = input.hook_event_name === 'PostToolUse' && { response: input.tool_response }
    deps.ran({ toolUseId: input.tool_use_id, name: input.tool_name, input: input.tool_input, ...response })
    return heard(input, started())
  }

  const handlers: Handlers = {
    UserPromptSubmit(input) {
      const isKnown = OWN_PROMPTS.includes(input.source) || input.prompt === handed
      handed = undefined
      const item = { type: 'message', role: 'user', text: input.prompt, status: 'sent' } as const
      return heard(input, [...(isKnown ? [] : [{ type: 'item', item } as const]), ...started()])
    },
    MessageDisplay(input) {
      const text = (texts.get(input.message_id) ?? '') + input.delta
      if (!input.final) {
        texts.set(input.message_id, text)
        return heard(input, started())
      }
      texts.delete(input.message_id)
      return heard(input, [...started(), ...saidBy(input, { type: 'text', text })])
    },
    async PreToolUse(input, signal) {
      const { tool_name: name, tool_use_id: id } = input
      folders.heard({ toolUseId: id, cwd: input.cwd })
      await heard(input, [...started(), ...saidBy(input, { type: 'tool_use', id, name, input: input.tool_input })])
      const refusal = deps.refusal()
      return refusal === undefined ? deps.decide(input, signal) : hookOutput(deny(refusal))
    },
    PostToolUse(input) {
      succeeded.add(input.tool_use_id)
      return ran(input)
    },
    PostToolUseFailure: ran,
    PostToolBatch: (input) => heard(input, [...started(), ...results(input)]),
    SubagentStart(input) {
      names.set(input.agent_id, input.agent_type)
      return heard(input, started())
    },
    SubagentStop: (input) => heard(input, saidBy(input, { type: 'text', text: input.last_assistant_message ?? '' })),
    Stop: (input) => heard(input, ended()),
    StopFailure(input) {
      const text = `The agent stopped: ${input.error.replaceAll('_', ' ')}.`
      return heard(input, [{ type: 'item', item: { type: 'notice', level: 'error', text } }, ...ended()])
    },
  }

  function results(input: InputOf<'PostToolBatch'>): AgentEvent[] {
    const blocks = input.tool_calls.map(({ tool_use_id: id, tool_response: content }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
      // What did not run was refused: the text says by whom.
      is_error: !succeeded.delete(id),
    }))
    return agentEvents(asMessage('user', input, blocks))
  }

  return {
    hooks: matchersOf(handlers),
    working() {
      const events = started()
      if (events.length > 0) void deps.note(events)
    },
    handedOver(text) {
      isWorking = true
      handed = text
    },
    turnEnded() {
      if (isWorking) void deps.note(ended())
    },
    named(agentId) {
      if (typeof agentId !== 'string' || agentId === '') return {}
      const subagentName = names.get(agentId)
      return { subagent: agentId, ...(subagentName !== undefined && { subagentName }) }
    },
    folderOf: (toolUseId) => folders.of(toolUseId),
    vendorSessionId: () => vendorSessionId,
  }
}

function matchersOf(handlers: Handlers): SessionHooks {
  const entries = Object.entries(handlers).map(([name, handle]) => {
    const callback: HookCallback = async (input, _, { signal }) =>
      input.hook_event_name === name ? (handle as AnyHandler)(input, signal) : {}
    // A gate that fails must not let a call through (I4), and one that waits for a person needs time.
    const gate = { onFailure: 'block', timeout: HOOK_TIMEOUT_SECONDS }
    return [name, [{ hooks: [callback], ...(name === 'PreToolUse' && gate) }]]
  })
  return Object.fromEntries(entries) as SessionHooks
}

function saidBy(input: BaseHookInput, block: Readonly<Record<string, unknown>>): AgentEvent[] {
  return agentEvents(asMessage('assistant', input, [block]))
}

/** In the form in which the driver reads messages, so that both make the same items of them. */
function asMessage(type: 'assistant' | 'user', input: BaseHookInput, content: readonly unknown[]): SDKMessage {
  return { type, message: { role: type, content }, parent_tool_use_id: input.agent_id ?? null } as unknown as SDKMessage
}
