import type { Answer } from '@holdpoint/schema/answer'
import type { Ask, AskKind, AskRequest, Tool } from '@holdpoint/schema/ask'
import type { CallAction } from '@holdpoint/schema/call-action'
import type { LiveEvent } from '@holdpoint/schema/event'
import type { AttachmentId, SessionId } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import type { Offers } from '@holdpoint/schema/offers'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Verdict } from '@holdpoint/schema/policy'
import type { Gate, SessionError } from '@holdpoint/schema/session'
import type { OnTimeout } from '@holdpoint/schema/time-limit'
import type { ContextUse, Usage } from '@holdpoint/schema/usage'
import type { DiskLook } from './disk-look.ts'

type WithoutIdentity<T> = T extends unknown ? Omit<T, 'id' | 'at'> : never
type WithoutSession<T> = T extends unknown ? Omit<T, 'sessionId'> : never

/** An item as a driver hands it over. */
export type NewItem = WithoutIdentity<Exclude<Item, { type: 'ask' }>>

/** What an agent did. Durable: committed in order before the driver goes on. */
export type AgentEvent =
  | { type: 'ready' }
  | { type: 'identified'; vendorSessionId: string; model?: string }
  | { type: 'mode-changed'; permissionMode: PermissionMode }
  /** What the conversation is about, where the session was begun before anybody said so. */
  | { type: 'titled'; title: string }
  | { type: 'item'; item: NewItem }
  /** The agent has begun to work on something that it was not sent by us. */
  | { type: 'turn-started' }
  /** The agent waits for the next message. An error ends the session: the agent cannot go on by itself. */
  | { type: 'turn-ended'; error?: SessionError }
  /**
   * The agent's running total, which only grows. `begins`: where it stands as the agent starts to count, in a new life or
   * anew: nothing of that was used just now.
   */
  | { type: 'usage'; reported: Usage; begins?: true }
  | { type: 'context'; context: ContextUse }
  /** Whether a dialog is on its screen of which nothing is asked here. */
  | { type: 'may-wait'; mayWait: boolean }

export type AgentLiveEvent = WithoutSession<LiveEvent>

/** How the agent went. `error` is for a person to read. */
export interface AgentEnd {
  readonly reason: string
  readonly error?: SessionError
}

/** A tool call that took place, for the watch over what was allowed. */
export interface RanTool {
  readonly toolUseId: string
  /** The ask that it was allowed by, where the call's id was not known when that was raised. */
  readonly requestId?: string
  readonly name: string
  readonly input: unknown
  /** What the agent says that it did. */
  readonly response?: unknown
}

/** A tool call that an agent wants to make, in the folder in which it would run, where that is known. */
export interface WantedCall {
  readonly tool: Pick<Tool, 'name' | 'input'>
  readonly cwd?: string | undefined
  /** What was looked up for this call a moment ago. Left out: everything is looked up now. */
  readonly disk?: DiskLook
}

/** What a call does, and what its input says besides: a rule for the action allows nothing of that. */
export interface ActionOfCall {
  /** The kind of agent whose tool it is, as rules name it: the same however the agent is run. Left out: as the session says. */
  readonly agent?: string
  readonly action: CallAction
  /** One plain sentence. */
  readonly besides?: string
}

export interface DriverStart {
  readonly sessionId: SessionId
  /** One life of one agent process; part of every ask's identity. */
  readonly epoch: number
  readonly cwd: string
  readonly permissionMode: PermissionMode
  readonly gate: Gate
  readonly model?: string
  /** What the agent is told when nobody answered in time: no, or no and stop. */
  readonly onTimeout: (kind: AskKind) => OnTimeout
  /** Whether a person has trusted the folder: only then are the folder's own settings loaded. */
  readonly trusted: boolean
  /**
   * Whether it still counts as trusted. It loses that when a person takes it back, or when a change of its settings is
   * found, which is looked for as a turn begins and ends.
   */
  readonly isTrusted: () => boolean
  /** The vendor's id of the conversation to go on with. */
  readonly resume?: string
  /**
   * Aborts when the session is ended, for example because its folder has lost its trust. A driver that has to load something
   * first calls `throwIfAborted` right before it spawns a process: nobody would see what that one does.
   */
  readonly stopping: AbortSignal
  /**
   * Set after a gateway restart: the agent should be running already. Output up to `checkpoint` is committed and must
   * not be emitted again; `sent` is the last message handed over, which may or may not have reached the agent.
   */
  readonly attach?: Reattachment
  /**
   * Commits events in order; resolves when they are durable. `checkpoint` says how far in the agent's output they
   * reach. While the store is in trouble it tries again and again: the agent is held up, and nothing is lost. Rejects
   * with a `DriverError` `detached` when the gateway goes down first, and with another error when these events can never
   * be recorded.
   */
  readonly emit: (events: readonly AgentEvent[], checkpoint?: number) => Promise<void>
  /**
   * The same, once: rejects with the store's fault. For a driver that must not be held up, and that reads the same output
   * again later.
   */
  readonly tryEmit: (events: readonly AgentEvent[], checkpoint?: number) => Promise<void>
  readonly live: (event: AgentLiveEvent) => void
  /**
   * Waits for the outcome. Aborting withdraws the ask as cancelled by the agent; the promise then resolves with
   * whatever outcome the ask has. Rejects when the ask cannot be recorded: the driver must refuse the call. Where what
   * it showed has changed by the time of an answer, `renew` makes the request anew for the same call, which then asks
   * again; without it such an ask ends as withdrawn. A rule of the policy may deny it at once. It, or a yes to an appeal,
   * may allow it at once only with `mayRuleAllow`: where the agent's own gate wants a person, a driver leaves that out.
   * `disk`: what was looked up a moment ago for the same call.
   */
  readonly ask: (
    request: AskRequest,
    options: {
      signal: AbortSignal
      renew?: () => Promise<AskRequest | { readonly refusal: string }>
      mayRuleAllow?: boolean
      disk?: DiskLook | undefined
    },
  ) => Promise<Outcome>
  /**
   * What the policy says of a call now. Nothing is recorded: a driver that acts on it raises the ask, which is judged again.
   * `none` leaves the call to the agent's own gate. A yes to an appeal about the same call is `allow`. A request that an
   * earlier gateway has put on record is `ask` whatever the rules say now: what was recorded counts.
   */
  readonly judge: (call: WantedCall, requestId: string | undefined) => Promise<Verdict['effect']>
  /**
   * The agent got its answer to this request without us. An ask that is open is withdrawn, with what was chosen, as far
   * as that is known; one that is settled stays as it is. Says how it stands.
   */
  readonly answeredElsewhere: (
    requestId: string,
    answer: Readonly<Record<string, unknown>> | undefined,
  ) => Promise<Outcome | undefined>
  /**
   * How an answer to this request stands that is on record already: whether the agent was given it. Undefined where there
   * is none.
   */
  readonly answered: (requestId: string) => Promise<'delivered' | 'undelivered' | undefined>
  /** The agent process has been given the outcomes of these requests. */
  readonly delivered: (requestIds: readonly string[]) => void
  /** After `attach`: which requests the agent still waits on, and which it was answered before this gateway came. */
  readonly reattached: (requests: { open: readonly string[]; answered: readonly string[] }) => void
  /** A tool has run; resolves when it was compared with what was allowed. */
  readonly ran: (tool: RanTool) => Promise<void>
}

export interface Reattachment {
  readonly checkpoint: number
  readonly sent?: OutgoingMessage
  /** The agent's own asks that are open on record: whether it still waits on them is for the driver to find out. */
  readonly open: readonly Ask[]
  /** The last gateway may have died before it started the agent: then, and only then, a missing one is started. */
  readonly mayBeMissing: boolean
}

export interface OutgoingMessage {
  /** Deduplicates: the agent gets a message with this id once, also after a crash. */
  readonly uuid: string
  readonly text: string
  readonly attachments: readonly AttachmentId[]
}

/** A running agent. Optional methods are capabilities. */
export interface AgentRun {
  send?(message: OutgoingMessage): Promise<void>
  /** Ends the turn. The driver bounds the time it takes and kills the agent when it does not comply. */
  interrupt?(): Promise<void>
  setMode?(mode: PermissionMode): Promise<void>
  setModel?(model: string): Promise<void>
  memoryBytes?(): Promise<number | undefined>
  /** The models and commands that the agent itself names now. Rejects when it does not say so in time. */
  offers?(): Promise<Offers>
  /**
   * How long the agent has had nothing to do, in milliseconds. Undefined while something lives that would end with its process,
   * such as a background command or a subagent, and where that cannot be told. Left out: agents of this kind are never parked.
   */
  quietMs?(): Promise<number | undefined>
  /** The running total at this moment, in the middle of a turn as well. Rejects if the agent does not say. */
  usage?(): Promise<Usage>
  /** Why the agent cannot be given this answer just now, if it cannot. The ask stays open then. */
  recheck?(ask: Ask, answer: Answer): Promise<string | undefined>
  /** Ends the agent and everything it started. `now`: without time to end by itself, in which it would run its own hooks. */
  stop(how?: 'now'): Promise<void>
  /** Leaves the agent running for the next gateway. */
  detach(): Promise<void>
  /** Settles when the agent is gone, or with `detached` after `detach`. Never rejects. */
  readonly done: Promise<AgentEnd | 'detached'>
}

/** One kind of coding agent. A driver translates; it decides nothing and remembers nothing of ours. */
export interface AgentDriver {
  readonly agent: string
  /** Its agents take what is typed where they run: no message can be sent to them. */
  readonly isTyped?: true
  /** An embedded agent whose program takes messages from people. */
  readonly takesMessages?: true
  /** Its agents are started elsewhere and come to us: nobody can start, resume or end one here. */
  readonly attaches?: true
  /** An embedded agent whose program runs beside the gateway, and goes on when that is started again. */
  readonly outlives?: true
  /** Its agents tell what they use, with `AgentRun.usage`: a session can have a budget. */
  readonly reportsUsage?: true
  /** Names of its agents' tools, as far as they are known. A rule for another name may be a slip. */
  readonly toolNames?: readonly string[]
  /** What a call does, in words that hold for every agent, for the policy. Left out: no more is known than the tool's name. */
  actionOf?(call: WantedCall): ActionOfCall
  /** Rejects with a `DriverError` when there is no agent to be had. */
  start(options: DriverStart): Promise<AgentRun>
  /**
   * The input that a tool got with a yes to an ask that is no approval, for the watch over what ran: undefined where no
   * tool runs with it, null where none may have. Made of the record alone, so that it is the same after a restart.
   */
  watchedInput?(ask: Ask, outcome: Outcome): unknown
  /** Why an allowed call did something else to a file than its ask showed, if it did. */
  whyNotAsShown?(ask: Ask, ran: RanTool): Promise<string | undefined>
}

/** Why an agent could not be started or reached. `code` becomes the session's error code. */
export class DriverError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'DriverError'
    this.code = code
  }
}

/** Whether this gateway goes down, and the agent goes on: the next gateway takes up what was not done. */
export function isDetached(error: unknown): boolean {
  return error instanceof DriverError && error.code === 'detached'
}
