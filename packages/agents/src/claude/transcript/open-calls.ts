import { type CallEnd, callEnd } from './call-end.ts'
import type { AssistantEntry, EntryBlock, ProgressEntry, TranscriptEntry, UserEntry } from './entry.ts'

/** Of each call, the time that decides whether it waits. */
export const GRACE_MS = 1000

/** A transcript that opens more than this and ends none is not worth more memory: the oldest are forgotten. */
const MAX_OPEN = 1000

/** A tool call that has no result yet. */
export interface OpenCall {
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  /** When it was seen, by the clock of whoever reads. */
  readonly at: number
  readonly messageId?: string
  readonly agentId?: string
  /** Something showed that it is under way, so nobody is asked about it. */
  readonly isRunning: boolean
}

export interface Calls {
  readonly open: ReadonlyMap<string, OpenCall>
  /** There were more than are kept: one that is open may be missing. */
  readonly hasForgotten?: true
  /** As Claude Code names it; absent until the transcript has said it. */
  readonly permissionMode?: string
}

export interface EndedCall {
  readonly call: OpenCall
  readonly end: CallEnd
}

export const NO_CALLS: Calls = { open: new Map() }

/**
 * What one entry does to the calls of a session, its subagents' included. `at` is when it was read, or, for what was
 * written long ago, the entry's own time.
 */
export function evolveCalls(calls: Calls, entry: TranscriptEntry, at: number): { calls: Calls; ended: EndedCall[] } {
  switch (entry.type) {
    case 'assistant':
      return opened(calls, entry, at)
    case 'user':
      return answered(inMode(calls, entry.permissionMode), entry)
    case 'progress':
      return { calls: progressed(calls, entry), ended: [] }
    case 'mode':
      return { calls: inMode(calls, entry.permissionMode), ended: [] }
    default:
      return { calls, ended: [] }
  }
}

/** A subagent that writes is a call that runs. */
export function markRunning(calls: Calls, toolUseId: string): Calls {
  const call = calls.open.get(toolUseId)
  if (!call || call.isRunning) return calls
  return { ...calls, open: new Map(calls.open).set(toolUseId, { ...call, isRunning: true }) }
}

// These want a person in every mode but the one in which nobody is ever asked.
const ALWAYS_ASK = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** Whether a person may be asked about it at all. */
export function mayAsk(calls: Calls, call: OpenCall): boolean {
  if (call.isRunning || calls.permissionMode === 'dontAsk') return false
  return calls.permissionMode !== 'bypassPermissions' || ALWAYS_ASK.has(call.name)
}

/** The calls that have been open for longer than the grace without a sign of running: they may wait for a person. */
export function waitingCalls(calls: Calls, now: number): OpenCall[] {
  return [...calls.open.values()].filter((call) => now - call.at >= GRACE_MS && mayAsk(calls, call))
}

/** When the next call will have waited for so long; undefined when none will. */
export function nextWaitingAt(calls: Calls, now: number): number | undefined {
  const times = [...calls.open.values()]
    .filter((call) => now - call.at < GRACE_MS && mayAsk(calls, call))
    .map((call) => call.at + GRACE_MS)
  return times.length === 0 ? undefined : Math.min(...times)
}

function opened(calls: Calls, entry: AssistantEntry, at: number): { calls: Calls; ended: EndedCall[] } {
  const { calls: left, ended } = dropped(calls, entry)
  const made = entry.content
    .flatMap((block) => callOf(block, entry, at))
    .filter((call) => !left.open.has(call.toolUseId))
  if (made.length === 0) return { calls: left, ended }
  const all = [...left.open, ...made.map((call) => [call.toolUseId, call] as const)]
  const hasForgotten = left.hasForgotten || all.length > MAX_OPEN
  return { calls: { ...left, open: new Map(all.slice(-MAX_OPEN)), ...(hasForgotten && { hasForgotten }) }, ended }
}

function callOf({ type, id, name, input }: EntryBlock, entry: AssistantEntry, at: number): OpenCall[] {
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return []
  const { messageId, agentId } = entry
  const from = { ...(messageId !== undefined && { messageId }), ...(agentId !== undefined && { agentId }) }
  return [{ toolUseId: id, name, input, at, isRunning: false, ...from }]
}

/** The model goes on only when it has every result: a call without one by then will not get any. */
function dropped(calls: Calls, entry: AssistantEntry | UserEntry): { calls: Calls; ended: EndedCall[] } {
  const message = entry.type === 'assistant' ? entry.messageId : undefined
  const over = [...calls.open.values()].filter(
    (call) => call.agentId === entry.agentId && (message === undefined || call.messageId !== message),
  )
  if (over.length === 0 || (entry.type === 'assistant' && message === undefined)) return { calls, ended: [] }
  const open = new Map(calls.open)
  for (const call of over) open.delete(call.toolUseId)
  return { calls: { ...calls, open }, ended: over.map((call) => ({ call, end: { kind: 'dropped' } })) }
}

function answered(calls: Calls, entry: UserEntry): { calls: Calls; ended: EndedCall[] } {
  const results = entry.content.filter((block) => block.type === 'tool_result')
  if (results.length === 0) {
    const isPrompt = !entry.isMeta && entry.content.length > 0
    return isPrompt ? dropped(calls, entry) : { calls, ended: [] }
  }
  const open = new Map(calls.open)
  const ended = results.flatMap((block): EndedCall[] => {
    const call = typeof block.tool_use_id === 'string' ? open.get(block.tool_use_id) : undefined
    if (!call) return []
    open.delete(call.toolUseId)
    return [{ call, end: callEnd(call.name, block, entry) }]
  })
  return { calls: ended.length === 0 ? calls : { ...calls, open }, ended }
}

// A hook that runs before the call, or beside the question about it, is no sign of the call's running.
const AFTER_THE_CALL = new Set(['PostToolUse', 'PostToolUseFailure'])

function progressed(calls: Calls, entry: ProgressEntry): Calls {
  if (entry.kind === 'hook_progress' && !AFTER_THE_CALL.has(entry.hookEvent ?? '')) return calls
  return entry.toolUseIds.reduce(markRunning, calls)
}

function inMode(calls: Calls, permissionMode: string | undefined): Calls {
  if (permissionMode === undefined || permissionMode === calls.permissionMode) return calls
  return { ...calls, permissionMode }
}
