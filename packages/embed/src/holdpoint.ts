import type {
  CanUseTool,
  HookCallbackMatcher,
  OnElicitation,
  Query,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk'
import type { InteractiveTool } from '@holdpoint/agents/claude/asks/interactive-tool'
import type { SessionSettings } from '@holdpoint/agents/claude/sdk/launch-options'
import type { Transport } from '@holdpoint/client/transport'
import type { SessionId } from '@holdpoint/schema/id'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { Gate, Session } from '@holdpoint/schema/session'
import type { KindLimit, OnTimeout } from '@holdpoint/schema/time-limit'

export interface HoldpointOptions {
  /** The folder that everything is kept in; made where it is missing. One program at a time uses it. */
  readonly data: string
  /**
   * A bearer token for automation, with an owner's rights; at least 32 characters. Keep it out of the environment that
   * the agent inherits: whoever has it can answer.
   */
  readonly token?: string
  /** What goes to stderr, as JSON lines; `warn` unless told otherwise. */
  readonly logLevel?: 'info' | 'warn' | 'error' | 'silent'
  /** Tools that ask in a way of their own. */
  readonly interactiveTools?: readonly InteractiveTool[]
  /** The built web app, where it is not the one that comes along. */
  readonly webFolder?: string
}

export interface ListenAt {
  /** 4680 unless told otherwise; 0 picks a free one. */
  readonly port?: number
  /** 127.0.0.1 unless told otherwise. Addresses that other machines reach need `tls`, or `publicUrl`. */
  readonly host?: string
  readonly tls?: { readonly cert: string | Uint8Array; readonly key: string | Uint8Array }
  /** HTTPS address of a proxy or tunnel in front. */
  readonly publicUrl?: string
}

export interface Listening {
  readonly url: string
  /** Logs one browser in, once, within five minutes. */
  readonly loginLink: string
}

export interface NewSessionOptions {
  /** Where the agent works: the `cwd` of the query. */
  readonly cwd: string
  /** What people read; `claude` unless told otherwise. */
  readonly agent?: string
  readonly title?: string
  /** The mode that the query is given. Its hooks tell when it changes. */
  readonly permissionMode?: PermissionMode
  /**
   * `everything` makes every tool call ask, those included that the agent would allow itself. It is the `hooks` that ask:
   * a call that comes to `canUseTool` without having been heard of there is denied.
   */
  readonly gate?: Gate
  /** At least 1,000, or null: for as long as the agent does. Left out, as Settings have it. */
  readonly askTimeoutMs?: number | null
  /** What the agent is told when nobody answered in time: no, or no and stop. */
  readonly onTimeout?: OnTimeout
  /** For kinds of ask that are to have another limit. */
  readonly timeLimits?: readonly KindLimit[]
  readonly onMessage?: OnMessage
}

/** What a person has written to the agent. */
export interface PersonMessage {
  readonly text: string
  /** The same with the files that came along, as the model takes it: the `content` of a user message. */
  readonly content: SDKUserMessage['message']['content']
}

/**
 * Gives a person's message to the agent: as the next message of the query's prompt, or as the prompt of another query with
 * the same `session.options`. Called for one message after the other, when the turn before is over. Left out, nobody but
 * the program can write to the agent. What it throws is told in the thread.
 */
export type OnMessage = (message: PersonMessage) => void | Promise<void>

/** Goes on in a session that has ended: the same thread, the next life of its agent. */
export interface ResumeOptions {
  readonly resume: SessionId
  readonly onMessage?: OnMessage
}

/** The events that are listened to. For one of these, add your own matchers to the ones that are there. */
export type SessionHookEvent =
  | 'UserPromptSubmit'
  | 'MessageDisplay'
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PostToolUseFailure'
  | 'PostToolBatch'
  | 'SubagentStart'
  | 'SubagentStop'
  | 'Stop'
  | 'StopFailure'

export type SessionHooks = Record<SessionHookEvent, HookCallbackMatcher[]>

/** What a query needs: spread it into its options, or take the parts. */
export interface QueryOptions {
  readonly canUseTool: CanUseTool
  readonly onElicitation: OnElicitation
  readonly hooks: SessionHooks
  /**
   * Other sessions of the same user cannot write to this one, nor it to them. With `gate: 'everything'` the hooks of
   * settings files and the commands inside skills are off as well. Keep all of it when you give settings of your own.
   */
  readonly settings: SessionSettings
}

export type AttachedQuery = Pick<Query, 'interrupt' | 'close' | 'setPermissionMode' | 'setModel'>

/** One conversation of an agent that runs in this program. Not awaited: asks wait until it is on record. */
export interface EmbeddedSession extends QueryOptions {
  readonly id: SessionId
  readonly options: QueryOptions
  /** The session once it is on record. Rejects when it could not be recorded; then every ask is denied. */
  readonly ready: Promise<Session>
  /** The agent's own id of the conversation, which a query takes as `resume`; known after `ready`, or the first prompt. */
  readonly vendorSessionId: string | undefined
  /** Lets people interrupt the agent, end it, and change its mode and model. Gives back what it was given. */
  attach<Attached extends AttachedQuery>(query: Attached): Attached
  /** Open asks are withdrawn and denied; so is every later one. Resolves when that is on record. */
  end(): Promise<void>
}

export interface Holdpoint {
  session(options: NewSessionOptions | ResumeOptions): EmbeddedSession
  /** Reaches this Holdpoint without a port, with an owner's rights: for a user interface in the same process. */
  transport(): Transport
  /** Adds the web app, the API and every dialect. The port does not keep the program from ending. */
  listen(at?: ListenAt): Promise<Listening>
  /** A fresh link for a browser. Only while it listens. */
  loginLink(): string
  /** Ends its sessions and lets go of the folder. A program that ends by itself does this on its way out. */
  close(): Promise<void>
}

export type EmbedErrorCode =
  | 'bad-token'
  | 'open-address'
  | 'not-listening'
  | 'hosted-sessions'
  | 'unknown-folder'
  | 'no-such-session'
  | 'session-alive'
  | 'not-embedded'
  | 'closed'

/** What this program did wrong, or came too late for. A folder that is in use is a fault with the code `locked`. */
export class EmbedError extends Error {
  readonly code: EmbedErrorCode
  constructor(code: EmbedErrorCode, message: string) {
    super(message)
    this.name = 'EmbedError'
    this.code = code
  }
}
