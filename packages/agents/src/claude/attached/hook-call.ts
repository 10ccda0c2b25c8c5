import { VendorSessionId } from '@holdpoint/schema/session'
import { z } from 'zod'

const text = z.string().optional().catch(undefined)

/**
 * What Claude Code writes to a hook. Read leniently: only what says whose it is has to be there, and a field of another
 * kind than ours is as good as none.
 */
export const Hook = z.looseObject({
  session_id: VendorSessionId,
  hook_event_name: z.string().min(1).max(64),
  cwd: z.string().min(1).max(4096),
  transcript_path: text,
  permission_mode: text,
  /** Set where a subagent is at work. */
  agent_id: text,
  agent_type: text,
  source: text,
  reason: text,
  model: text,
  prompt: text,
  tool_name: text,
  tool_use_id: text,
  tool_input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  /** After a call: what the tool says of what it did. */
  tool_response: z.unknown().optional(),
  permission_suggestions: z.array(z.unknown()).optional().catch(undefined),
  mcp_server: z.object({ name: z.string(), source: z.string() }).optional().catch(undefined),
})
export type Hook = z.infer<typeof Hook>

/** The process that the hook belongs to. With its start a pid names one process. */
export const ProcessName = z.object({
  pid: z.int().min(2),
  /** Clock ticks since boot; absent where the system does not tell. */
  startedAt: z.int().optional(),
})
export type ProcessName = z.infer<typeof ProcessName>

/** What a hook brings. The same request again has the same id. */
export interface HookCall {
  readonly requestId: string
  readonly hook: Hook
  readonly process: ProcessName
}

/** What the hook program is told: what to hand to Claude Code, or nothing, which leaves the decision at the terminal. */
export interface HookReply {
  readonly output?: Readonly<Record<string, unknown>>
}
