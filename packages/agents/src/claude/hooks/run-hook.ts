import { randomUUID } from 'node:crypto'
import { type CallResult, callGateway, type GatewayCall } from './gateway-call.ts'

export interface HookRun {
  readonly dataDir: string
  /** What Claude Code wrote to the hook. */
  readonly input: Buffer
  /** The process that the hook runs for, as far as the hook can tell. */
  readonly parent: number
  /** It tells of the agent's life, and asks nothing. */
  readonly isLife: boolean
  /** Set for the hook before a call, which always says something: this, if no gateway has heard of the call. */
  readonly before?: string
}

export interface HookTimes {
  /** What only follows the agent's life waits this long for a reply; an ask waits for its outcome. */
  readonly replyMs: number
  /** How long an ask waits for a gateway that went away. */
  readonly unreachableMs: number
  /** A call that was kept this long shows that the gateway was well until then. */
  readonly heldMs: number
}

const TIMES: HookTimes = { replyMs: 300, unreachableMs: 15_000, heldMs: 2000 }
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000
/** A call that a gateway has begun to look at must not run because that gateway is gone. */
const LOST =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Holdpoint stopped before this call was decided. Nobody refused it. Try again."}}'
/** Nobody knows what rules say of a call that cannot be read: half a character, or an input that is too large. */
const UNREAD =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Holdpoint cannot read this call, so it was not allowed. Its input is too large or has characters that are not valid Unicode."}}'
const UNREAD_STATUS = new Set([400, 413])

/**
 * Puts what happened to the gateway and gives what to tell Claude Code: nothing, unless the gateway said so in reply to
 * this call (I4), or a call waits for the word of the hook before it. hook.sh does the same with curl.
 */
export async function runHook(run: HookRun, times = TIMES): Promise<Buffer | string | undefined> {
  const { dataDir, input: body, parent } = run
  const query = { pid: String(process.pid), parent: String(parent) }
  if (run.isLife) {
    await callGateway({ dataDir, query, body, replyMs: times.replyMs })
    return undefined
  }
  const call = { dataDir, query: { ...query, request: randomUUID() }, body }
  const { result, wasHeard } = await callUntilSettled(call, { times, parent })
  if (result.kind === 'answered' && result.output !== undefined) return result.output
  if (run.before === undefined) return undefined
  if (result.kind === 'refused' && UNREAD_STATUS.has(result.status)) return UNREAD
  return wasHeard ? LOST : run.before
}

/** The same request again, so that it stays one ask, as long as the gateway is only away for a moment. */
async function callUntilSettled(
  call: GatewayCall,
  { times, parent }: { times: HookTimes; parent: number },
): Promise<{ result: CallResult; wasHeard: boolean }> {
  let failingSince: number | undefined
  let pause = FIRST_PAUSE_MS
  for (;;) {
    const began = performance.now()
    const result = await callGateway(call)
    const settled = { result, wasHeard: failingSince !== undefined }
    if (result.kind === 'answered' || result.kind === 'refused') return settled
    // Never heard of by a gateway: the terminal is on its own, as if nothing were installed.
    if (result.kind === 'absent' && failingSince === undefined) return settled
    const now = performance.now()
    if (failingSince === undefined || (result.kind === 'unfinished' && now - began > times.heldMs)) {
      failingSince = now
      pause = FIRST_PAUSE_MS
    }
    if (now - failingSince + pause > times.unreachableMs) return { result, wasHeard: true }
    await new Promise((resolve) => setTimeout(resolve, pause))
    // Killed, it ended nothing that it had started.
    if (!isThere(parent)) return { result, wasHeard: true }
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
