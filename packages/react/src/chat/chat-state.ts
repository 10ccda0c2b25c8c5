import { isYes } from '@holdpoint/core/is-yes'
import type { CallFacts } from '@holdpoint/schema/call-facts'
import type {
  ApprovalEvent,
  FormItem,
  FormPromptEvent,
  InteractionSettledEvent,
  QuestionItem,
  QuestionPromptEvent,
  SessionStatusEvent,
  StreamEvent,
  ToolCallEvent,
} from '@holdpoint/schema/turn-stream'
import type { Settled } from './interaction-state.ts'

export interface ToolCallState {
  readonly toolCallId: string
  /** Empty where no event has named it. */
  readonly toolName: string
  /** JSON; in pieces until the call is whole. */
  readonly input: string
  readonly result?: string
  readonly status: 'pending' | 'running' | 'complete' | 'error'
  /** It waits, or has waited, for a person. */
  readonly interactiveType?: 'question' | 'approval' | 'form'
  readonly questions?: readonly QuestionItem[]
  /** For an app's own component: `submitForm` and `denyTool` of the transport answer it. */
  readonly form?: FormItem
  /** What an approval is for besides the input; of a question or a form, who asks. */
  readonly facts?: CallFacts
  readonly settled?: Settled
  /** How often this id was asked about, where it was more than once: agents may use one again. */
  readonly asked?: number
}

export interface ChatMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly toolCalls: readonly ToolCallState[]
}

/** What this page has seen of a session. */
export interface ChatState {
  readonly messages: readonly ChatMessage[]
  /** `streaming`: a turn is being followed. */
  readonly status: 'idle' | 'streaming'
  readonly session?: SessionStatusEvent
  /** The last thing that went wrong; gone when the next turn is followed. */
  readonly error?: string
}

export type ChatAction =
  | { readonly type: 'following'; readonly content?: string }
  | { readonly type: 'event'; readonly event: StreamEvent }
  | { readonly type: 'ended'; readonly error?: string }

export const NOTHING_SAID: ChatState = { messages: [], status: 'idle' }

export function chatReducer(state: ChatState, action: ChatAction): ChatState {
  switch (action.type) {
    case 'following': {
      const { error, ...rest } = state
      const sent: readonly ChatMessage[] =
        action.content === undefined ? [] : [{ role: 'user', content: action.content, toolCalls: [] }]
      return { ...rest, status: 'streaming', messages: [...state.messages, ...sent] }
    }
    case 'event':
      return afterEvent(state, action.event)
    case 'ended':
      return { ...state, status: 'idle', ...(action.error !== undefined && { error: action.error }) }
    default:
      return action satisfies never
  }
}

function afterEvent(state: ChatState, event: StreamEvent): ChatState {
  switch (event.type) {
    case 'text_delta':
      return inReply(state, (reply) => ({ ...reply, content: reply.content + event.data.text }))
    case 'tool_call_start':
      return withCall(state, event.data, (call) => call)
    case 'tool_call_delta':
      // What waits for a person has its whole input already, and that is the one that they answer.
      return withCall(state, event.data, (call) =>
        call.interactiveType ? call : { ...call, input: call.input + (event.data.input ?? '') },
      )
    case 'tool_call_end':
      return withCall(state, event.data, (call) =>
        call.interactiveType ? call : { ...call, input: event.data.input ?? call.input },
      )
    case 'tool_result':
      return withCall(state, event.data, (call) => ({ ...call, ...resultOf(event.data) }))
    case 'approval_required':
      return withCall(state, event.data, (call) => askedAbout(call, approvalOf(event.data)))
    case 'question_prompt':
      return withCall(state, { ...event.data, toolName: '' }, (call) => askedAbout(call, questionsOf(event.data, call)))
    case 'form_prompt':
      return withCall(state, event.data, (call) => askedAbout(call, formOf(event.data)))
    case 'interaction_settled':
      return settledCall(state, event.data)
    case 'session_status':
      return { ...state, session: event.data }
    case 'error':
      return { ...state, error: event.data.message }
    case 'done':
      return state
    default:
      return event satisfies never
  }
}

function resultOf({ result, status }: ToolCallEvent): Partial<ToolCallState> {
  return { status, ...(result !== undefined && { result }) }
}

type Interaction = Pick<ToolCallState, 'toolName' | 'input' | 'interactiveType' | 'questions' | 'form' | 'facts'>

function approvalOf({ toolCallId, toolName, input, ...facts }: ApprovalEvent): Interaction {
  return { toolName, input, interactiveType: 'approval', ...(Object.keys(facts).length > 0 && { facts }) }
}

function formOf({ toolName, input, form, raiser }: FormPromptEvent): Interaction {
  return { toolName, input, interactiveType: 'form', form, ...(raiser !== undefined && { facts: { raiser } }) }
}

/** The event does not name the tool: it is the one of the call's first event, unless that was another call. */
function questionsOf({ questions, raiser }: QuestionPromptEvent, call: ToolCallState): Interaction {
  const toolName = call.interactiveType === 'approval' ? '' : call.toolName
  const facts = raiser !== undefined && { facts: { raiser } }
  return { toolName, input: JSON.stringify({ questions }), interactiveType: 'question', questions, ...facts }
}

/** It waits for what is asked now: nothing of an earlier call under the same id may stand beside that. */
function askedAbout(call: ToolCallState, interaction: Interaction): ToolCallState {
  const { toolCallId, settled, result, asked = 1 } = call
  const times = settled || result !== undefined ? asked + 1 : asked
  return { toolCallId, ...interaction, status: 'pending', ...(times > 1 && { asked: times }) }
}

/** Of calls that were never shown there is nothing to say. */
function settledCall(state: ChatState, { toolCallId, outcome, reason }: InteractionSettledEvent): ChatState {
  const settled = { outcome, ...(reason !== undefined && { reason }) }
  return (
    changeCall(state, toolCallId, (call) => ({
      ...call,
      settled,
      status: isYes({ kind: outcome }) ? 'running' : 'error',
    })) ?? state
  )
}

/** Changes a call, in whichever message it first appeared; a new one belongs to the agent's current message. */
function withCall(
  state: ChatState,
  { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string },
  change: (call: ToolCallState) => ToolCallState,
): ChatState {
  const changed = changeCall(state, toolCallId, change)
  if (changed) return changed
  const call = change({ toolCallId, toolName, input: '', status: 'running' })
  return inReply(state, (reply) => ({ ...reply, toolCalls: [...reply.toolCalls, call] }))
}

function changeCall(
  state: ChatState,
  toolCallId: string,
  change: (call: ToolCallState) => ToolCallState,
): ChatState | undefined {
  const isMeant = (call: ToolCallState) => call.toolCallId === toolCallId
  const place = state.messages.findLastIndex((message) => message.toolCalls.some(isMeant))
  if (place === -1) return undefined
  const messages = state.messages.map((message, index) =>
    index === place
      ? { ...message, toolCalls: message.toolCalls.map((call) => (isMeant(call) ? change(call) : call)) }
      : message,
  )
  return { ...state, messages }
}

/** Changes what the agent is saying; begins it where the last word is a person's. */
function inReply(state: ChatState, change: (reply: ChatMessage) => ChatMessage): ChatState {
  const last = state.messages.at(-1)
  if (last?.role === 'assistant') return { ...state, messages: [...state.messages.slice(0, -1), change(last)] }
  return { ...state, messages: [...state.messages, change({ role: 'assistant', content: '', toolCalls: [] })] }
}
