import { randomUUID } from 'node:crypto'
import type { ClaudeProcess } from './claude-process.ts'
import { type CallResult, callGateway, type GatewayCall } from './gateway-call.ts'
import { logLine } from './hook-log.ts'

export interface HookRun {
  readonly dataDir: string
  /** What Claude Code wrote to the hook. */
  readonly input: Buffer
  readonly process: ClaudeProcess
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

/**
 * Puts what happened to the gateway and gives what to tell Claude Code: nothing, unless the gateway said so in reply to
 * this call (I4). Nothing leaves the decision where it was, at the terminal.
 */
export async function runHook(run: HookRun, times = TIMES): Promise<object | undefined> {
  const event = eventName(run.input)
  if (event === undefined) return undefined
  const requestId = randomUUID()
  const rest = JSON.stringify({ requestId, process: run.process })
  // The input goes on as it came, number for number and space for space.
  const body = Buffer.concat([Buffer.from(`{"hook":`), run.input, Buffer.from(`,${rest.slice(1)}`)])
  const call = { dataDir: run.dataDir, body }
  const result =
    event === 'PermissionRequest'
      ? await callUntilSettled(call, times)
      : await callGateway({ ...call, replyMs: times.replyMs })
  if (result.kind === 'refused') {
    logLine(run.dataDir, `${event}: the gateway refused it, ${result.why}`)
    return undefined
  }
  if (result.kind !== 'answered' || !result.output) return undefined
  if (isMeantFor(event, result.output)) return result.output
  logLine(run.dataDir, `${event}: the gateway answered something else`)
  return undefined
}

/** The same request again, so that it stays one ask, as long as the gateway is only away for a moment. */
async function callUntilSettled(call: GatewayCall, times: HookTimes): Promise<CallResult> {
  let failingSince: number | undefined
  let pause = FIRST_PAUSE_MS
  for (;;) {
    const began = performance.now()
    const result = await callGateway(call)
    if (result.kind === 'answered' || result.kind === 'refused') return result
    // Never heard of by a gateway: the terminal is on its own, as if nothing were installed.
    if (result.kind === 'absent' && failingSince === undefined) return result
    const now = performance.now()
    if (failingSince === undefined || (result.kind === 'unfinished' && now - began > times.heldMs)) {
      failingSince = now
      pause = FIRST_PAUSE_MS
    }
    if (now - failingSince + pause > times.unreachableMs) return result
    await new Promise((resolve) => setTimeout(resolve, pause))
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }
}

function eventName(input: Buffer): string | undefined {
  try {
    const { hook_event_name: name } = JSON.parse(input.toString()) as Record<string, unknown>
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

function isMeantFor(event: string, output: object): boolean {
  const { hookSpecificOutput: specific } = output as { hookSpecificOutput?: { hookEventName?: unknown } | null }
  return specific === undefined || specific?.hookEventName === event
}
