/** A line of the stream-json control protocol, as far as the host understands it. */
export type ControlLine =
  | {
      readonly type: 'request'
      readonly requestId: string
      readonly subtype: string | undefined
      /** A tool call that the agent is about to make, or has refused itself, with the folder in which it acts. */
      readonly call?: { readonly toolUseId: string; readonly cwd: string }
    }
  /** A hook that only tells what has happened. Nobody decides anything about it. */
  | { readonly type: 'report'; readonly requestId: string; readonly toolUseId?: string }
  | { readonly type: 'response'; readonly requestId: string }
  | { readonly type: 'cancel'; readonly requestId: string }

const CALLS = new Set<unknown>(['PreToolUse', 'PermissionDenied'])
const REPORTS = new Set<unknown>(['PostToolUse', 'PostToolUseFailure'])

/** Any control line; everything else is undefined, garbage included. */
export function readControlLine(value: unknown): ControlLine | undefined {
  const type = field(value, 'type')
  if (type === 'control_request') {
    const requestId = field(value, 'request_id')
    const subtype = field(field(value, 'request'), 'subtype')
    if (typeof requestId !== 'string') return undefined
    const request = { requestId, subtype: typeof subtype === 'string' ? subtype : undefined }
    return subtype === 'hook_callback' ? readHook(request, value) : { type: 'request', ...request }
  }
  if (type === 'control_response') {
    const requestId = field(field(value, 'response'), 'request_id')
    return typeof requestId === 'string' ? { type: 'response', requestId } : undefined
  }
  if (type === 'control_cancel_request') {
    const requestId = field(value, 'request_id')
    return typeof requestId === 'string' ? { type: 'cancel', requestId } : undefined
  }
  return undefined
}

function readHook(request: { requestId: string; subtype: string | undefined }, value: unknown): ControlLine {
  const input = field(field(value, 'request'), 'input')
  const event = field(input, 'hook_event_name')
  const toolUseId = field(input, 'tool_use_id')
  const call = typeof toolUseId === 'string' ? { toolUseId } : {}
  if (REPORTS.has(event)) return { type: 'report', requestId: request.requestId, ...call }
  const cwd = field(input, 'cwd')
  const isCall = CALLS.has(event) && call.toolUseId !== undefined && typeof cwd === 'string'
  return { type: 'request', ...request, ...(isCall && { call: { toolUseId: call.toolUseId, cwd } }) }
}

/** The same from bytes. Most of an agent's output is not control protocol; it is passed on without being parsed. */
export function readAgentLine(bytes: Buffer): ControlLine | undefined {
  return bytes.includes('"control_') ? readControlLine(parse(bytes.toString())) : undefined
}

/** The uuid of a user's message; undefined for every other line. */
export function readMessageUuid(value: unknown): string | undefined {
  const uuid = field(value, 'uuid')
  return field(value, 'type') === 'user' && typeof uuid === 'string' ? uuid : undefined
}

export function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
