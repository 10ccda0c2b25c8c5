import { z } from 'zod'
import { MAX_ATTACHMENTS } from './attachment-limits.ts'
import { AttachmentId, ItemId, NodeId, SessionId } from './id.ts'
import { Actor } from './outcome.ts'
import { PermissionMode } from './permission-mode.ts'
import { AskTimeout, KindLimit, OnTimeout } from './time-limit.ts'
import { Budget, ContextUse, SessionUsage } from './usage.ts'

export const SessionState = z.enum(['starting', 'assistant_turn', 'user_turn', 'dead'])
export type SessionState = z.infer<typeof SessionState>

export const Gate = z.enum(['default', 'everything'])
export type Gate = z.infer<typeof Gate>

/** What a person reads when something went wrong, and a code for programs. */
export const SessionError = z.strictObject({ code: z.string(), message: z.string() })
export type SessionError = z.infer<typeof SessionError>

/** The month in which the sessions in an archive last changed. */
export const ArchiveName = z.string().regex(/^\d{4}-\d{2}$/)

export const Session = z.strictObject({
  id: SessionId,
  /** The gateway on whose machine its agent runs. Left out where there is one gateway. */
  node: NodeId.optional(),
  agent: z.string(),
  vendorSessionId: z.string().optional(),
  projectId: z.string(),
  cwd: z.string(),
  title: z.string(),
  /** A person gave it its title: the agent's own no longer replaces it. */
  named: z.boolean().optional(),
  /** A person has put it out of the lists. It comes back with its next ask, message, turn or alarm. */
  archived: z.boolean().optional(),
  state: SessionState,
  permissionMode: PermissionMode,
  gate: Gate,
  model: z.string().optional(),
  startedAt: z.int(),
  stateChangedAt: z.int(),
  /** Counts this session's agent processes: 1, then one more with each resume, and with each waking of a parked agent. */
  epoch: z.int(),
  /**
   * The epoch in which this life of the session began, where its agent was parked and woken since: what people have remembered
   * holds for a whole life. Left out: `epoch`.
   */
  lifeEpoch: z.int().optional(),
  /** Since when its agent is parked: the process was ended, and the next message starts it again. */
  parkedAt: z.int().optional(),
  openAsks: z.int(),
  queuedMessages: z.int(),
  /** How long its asks may wait, and what happens then. Left out: for ever. */
  askTimeoutMs: z.int().optional(),
  onTimeout: OnTimeout,
  /** The kinds of ask that have a limit of their own. */
  timeLimits: z.array(KindLimit).optional(),
  /**
   * Its turn was stopped because nobody answered, and the agent has taken that for a person's no. `told`: the message that
   * began with the line that nobody was there.
   */
  unanswered: z.strictObject({ told: ItemId.optional() }).optional(),
  trusted: z.boolean(),
  /** Its agent runs inside another program, which alone starts it and takes it up again. */
  embedded: z.boolean().optional(),
  /** Embedded, and its program takes messages from people too. */
  takesMessages: z.boolean().optional(),
  /** Its agent runs in somebody's terminal, where it was started, is written to and is ended. */
  attached: z.boolean().optional(),
  /** A dialog is on its screen that nobody has put to people here: it may wait at its terminal. */
  mayWait: z.boolean().optional(),
  /** Set by an alarm: what ran was not what was allowed. Nothing is allowed in this session any more. */
  frozen: z.boolean().optional(),
  error: SessionError.optional(),
  endReason: z.string().optional(),
  /** What was said and asked in it has left the log for an archive. It can be read, and goes on, as before. */
  retired: z.strictObject({ at: z.int(), archive: ArchiveName }).optional(),
  /** What was said and asked in it was removed for good. */
  deleted: z.strictObject({ at: z.int(), by: Actor }).optional(),
  /** What the agent has reported of its use of the model. Left out: nothing so far. */
  usage: SessionUsage.optional(),
  context: ContextUse.optional(),
  budget: Budget.optional(),
  /** A reading, not part of the record. */
  memoryBytes: z.int().optional(),
})
export type Session = z.infer<typeof Session>

/** These become arguments of programs: none may be taken for an option (T55). */
export const VendorSessionId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/)
export const ModelName = z
  .string()
  .max(256)
  .regex(/^[^-\s\p{C}][^\p{C}]*$/u)

export const StartSession = z.strictObject({
  /** The machine that it is to run on, where there are several. Left out: the one that takes the call. */
  node: NodeId.optional(),
  agent: z.string().max(64).default('claude'),
  cwd: z.string().max(4096).optional(),
  prompt: z.string().min(1).max(1_000_000).optional(),
  attachments: z.array(AttachmentId).max(MAX_ATTACHMENTS).optional(),
  permissionMode: PermissionMode.default('default'),
  gate: Gate.default('default'),
  model: ModelName.optional(),
  title: z.string().min(1).max(256).optional(),
  resume: SessionId.optional(),
  /** A conversation that Claude Code had on this machine, by its own id: it goes on here. */
  resumeTranscript: VendorSessionId.optional(),
  budget: Budget.optional(),
  /** How long an ask may wait. Left out, as its project or the gateway has it; null, for ever. */
  askTimeoutMs: AskTimeout.nullable().optional(),
  onTimeout: OnTimeout.optional(),
  /** For kinds of ask that are to have another limit. */
  timeLimits: z
    .array(KindLimit)
    .refine((limits) => new Set(limits.map(({ kind }) => kind)).size === limits.length, 'one limit for each kind')
    .optional(),
  /** Trusts this folder from now on: its own settings, hooks and MCP servers are loaded. */
  trust: z.boolean().optional(),
  /** Trusts it only if its settings are the ones that were shown under this digest. */
  trustDigest: z.string().max(64).optional(),
})
export type StartSession = z.infer<typeof StartSession>

export const SessionTitle = z.string().trim().min(1).max(256)

export const SendMessage = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  attachments: z.array(AttachmentId).max(MAX_ATTACHMENTS).optional(),
})
export type SendMessage = z.infer<typeof SendMessage>
