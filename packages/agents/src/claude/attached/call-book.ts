import { isSameInput } from './same-input.ts'

export interface KnownCall {
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  readonly agentId?: string | undefined
}

export interface SoughtCall {
  readonly requestId: string
  /** Where it is known by now. */
  readonly toolUseId?: string
  readonly name: string
  readonly input: unknown
  readonly agentId?: string | undefined
}

/** With more calls under way than this, the oldest is forgotten (I10). */
const MAX_CALLS = 500

/**
 * Which tool call a permission request is about. Claude Code does not say: the call is found among those that its
 * transcript, or a hook before it, has named and that have no result.
 */
export function createCallBook(cwd: string) {
  const open = new Map<string, KnownCall>()
  const callOf = new Map<string, string>()
  const requestOf = new Map<string, string>()

  function link(requestId: string, toolUseId: string) {
    callOf.set(requestId, toolUseId)
    requestOf.set(toolUseId, requestId)
  }

  /** Two calls that look alike are not told apart by guessing: the request then goes without an id for now. */
  function find({ name, input, agentId }: SoughtCall, mayGuess: boolean): KnownCall | undefined {
    const free = [...open.values()].filter(
      (call) => call.name === name && call.agentId === agentId && !requestOf.has(call.toolUseId),
    )
    const [first, second] = free
    const only = first && !second && (mayGuess || !hasCommonField(input, first.input)) ? first : undefined
    // Of several that are the very same, the oldest: Claude Code asks in the order of the calls.
    return free.find((call) => isSameInput(input, call.input, cwd)) ?? only
  }

  return {
    opened(call: KnownCall) {
      if (open.has(call.toolUseId)) return
      open.set(call.toolUseId, call)
      const [oldest] = open.keys()
      if (open.size > MAX_CALLS && oldest !== undefined) open.delete(oldest)
    },
    /**
     * The call of this request, if it is known by now. The only one of that tool's, though its input is another, is a
     * guess: as long as the call may not have been written down yet, that one may be under way with nobody asked.
     */
    claim(wanted: SoughtCall, { mayGuess = false } = {}): string | undefined {
      const known = callOf.get(wanted.requestId)
      if (known !== undefined) return known
      const call = find(wanted, mayGuess)
      if (call) link(wanted.requestId, call.toolUseId)
      return call?.toolUseId
    },
    link,
    nameOf: (toolUseId: string) => open.get(toolUseId)?.name,
    requestOf: (toolUseId: string) => requestOf.get(toolUseId),
    callOf: (requestId: string) => callOf.get(requestId),
    /** The call has its result. */
    closed(toolUseId: string) {
      open.delete(toolUseId)
    },
    /** The process that made the call is gone: whoever was linked to it was so by mistake. */
    dropped(toolUseId: string) {
      open.delete(toolUseId)
      const requestId = requestOf.get(toolUseId)
      requestOf.delete(toolUseId)
      if (requestId !== undefined) callOf.delete(requestId)
    },
    forget(requestId: string) {
      const toolUseId = callOf.get(requestId)
      callOf.delete(requestId)
      if (toolUseId !== undefined) requestOf.delete(toolUseId)
    },
  }
}
export type CallBook = ReturnType<typeof createCallBook>

/** Where there is none, nothing speaks against two inputs being the same: a plan's is written down without the plan. */
function hasCommonField(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  return Object.keys(one).some((key) => key in other)
}
