import { z } from 'zod'

/** How an agent ended. `problem` says that it did not end by itself, or that its end was not seen. */
export const AgentExit = z.object({
  code: z.number().nullable(),
  signal: z.string().nullable(),
  stderrTail: z.string(),
  problem: z.enum(['line-too-long', 'host-gone', 'replaced']).optional(),
})
export type AgentExit = z.infer<typeof AgentExit>

export const AgentSummary = z.object({
  key: z.string(),
  pid: z.number(),
  /** Epoch milliseconds. */
  startedAt: z.number(),
  /** How many lines the agent has written so far. */
  lines: z.number(),
  exit: AgentExit.optional(),
})
export type AgentSummary = z.infer<typeof AgentSummary>

/** What has and has not reached the agent, for a gateway that takes over from one that died. */
export const Attached = z.object({
  /** Requests of the agent that no answer has reached yet. */
  open: z.array(z.string()),
  /** Requests whose answer the agent has been given, in its whole life. */
  answered: z.array(z.string()),
  /** Messages the agent has been given, by uuid, in its whole life. */
  uuids: z.array(z.string()),
  /** The folders of calls that may not have run yet, by the id of the call. */
  folders: z.record(z.string(), z.string()),
  /** The skills that the agent began with; left out before its first turn. */
  skills: z.array(z.string()).optional(),
  exit: AgentExit.optional(),
})
export type Attached = z.infer<typeof Attached>

const re = z.number()
const key = z.string()

/** `re` is the id of the gateway's message that this answers. */
export const HostMessage = z.discriminatedUnion('t', [
  z.object({ t: z.literal('welcome'), version: z.number(), pid: z.number(), agents: z.array(AgentSummary) }),
  z.object({ t: z.literal('refused'), code: z.literal('version'), versions: z.array(z.number()) }),
  z.object({ t: z.literal('replaced') }),
  z.object({ t: z.literal('spawned'), re, key, pid: z.number() }),
  Attached.extend({ t: z.literal('attached'), re, key, pid: z.number(), lines: z.number() }),
  /** `replay`: an open request of the agent, delivered again under its first number. */
  z.object({ t: z.literal('line'), key, n: z.number(), line: z.string(), replay: z.literal(true).optional() }),
  z.object({ t: z.literal('answered'), key, requestId: z.string() }),
  z.object({ t: z.literal('wrote'), re, key, dropped: z.boolean() }),
  z.object({ t: z.literal('stderr'), key, text: z.string() }),
  AgentExit.extend({ t: z.literal('exit'), key }),
  z.object({ t: z.literal('killed'), re, key }),
  z.object({ t: z.literal('memory'), re, key, bytes: z.number().optional() }),
  z.object({ t: z.literal('error'), code: z.string(), message: z.string(), re: re.optional() }),
])
export type HostMessage = z.infer<typeof HostMessage>
