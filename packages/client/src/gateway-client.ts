import type { Answer, RememberRequest } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { ChangedFiles, ChangesSince, FileDiff } from '@holdpoint/schema/changed-files'
import type { Device } from '@holdpoint/schema/device'
import type { Me } from '@holdpoint/schema/endpoints/account'
import type { OfferedRules } from '@holdpoint/schema/endpoints/asks'
import type { CallInput, ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { Folders, FoldersLike, TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import type { HistoryDetail, LetThrough } from '@holdpoint/schema/endpoints/history'
import type { Machine } from '@holdpoint/schema/endpoints/machines'
import type { DryRunResult, SuggestedRule } from '@holdpoint/schema/endpoints/policy'
import type { Keep, KeepPlace, Retention, RetentionPreview } from '@holdpoint/schema/endpoints/retention'
import type { TimeLimits } from '@holdpoint/schema/endpoints/time-limits'
import type { UsageReport } from '@holdpoint/schema/endpoints/usage'
import type { AskId, AttachmentId, ChannelId, DeviceId, ItemId, NodeId, RuleId, SessionId } from '@holdpoint/schema/id'
import type { Item, MessageItem } from '@holdpoint/schema/item'
import type { AskNotices, ChannelInput, DeviceNotices, Escalation, TestStep } from '@holdpoint/schema/notification'
import type { OfferedModel, Offers } from '@holdpoint/schema/offers'
import type { Outcome } from '@holdpoint/schema/outcome'
import type { paths } from '@holdpoint/schema/paths'
import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import type { PolicyRule, Verdict } from '@holdpoint/schema/policy'
import type { ListedRule } from '@holdpoint/schema/rule'
import type { SendMessage, Session } from '@holdpoint/schema/session'
import type { LimitPlace } from '@holdpoint/schema/time-limit'
import type { Budget } from '@holdpoint/schema/usage'
import type { Transport } from './transport.ts'

/**
 * `connecting`: no state yet. `live`: what is shown is what is. `stale`: the connection is gone and is being made
 * anew; what is shown was true when it went. `logged-out`: the gateway does not know this credential (any more).
 */
export type LinkState = 'connecting' | 'live' | 'stale' | 'logged-out'

/** A settled ask, kept for a while so that its card can say what became of it. */
export interface SettledAsk {
  readonly ask: Ask
  readonly outcome: Outcome
}

/** An immutable picture; a new object for every change, the same object while nothing changes. */
export interface GatewayState {
  readonly link: LinkState
  /** When the gateway was last heard, while the link is `stale`. */
  readonly staleSince?: number
  /** Something else answers at the gateway's address. Nothing is sent to it; the gateway is looked for again and again. */
  readonly notTheGateway?: true
  readonly sessions: ReadonlyMap<SessionId, Session>
  /** Open ones over all sessions, oldest first. */
  readonly asks: readonly Ask[]
  /** Settled while this client looked on, newest last; at most 100. */
  readonly settled: readonly SettledAsk[]
  /** Messages that wait for a running agent, in order. */
  readonly queues: ReadonlyMap<SessionId, readonly MessageItem[]>
  /** Of open asks: who was told, and who has seen them. Only those that somebody was told of, or has seen. */
  readonly notices: ReadonlyMap<AskId, AskNotices>
  /** Settled while this client looked on, and no agent has been seen to get the outcome. */
  readonly undelivered: ReadonlySet<AskId>
  /** Goes up whenever rules and remembered answers may have changed: whoever shows them reads them again. */
  readonly ruleChanges: number
  /** Goes up whenever machines may have come, gone or changed: whoever shows them reads them again. */
  readonly machineChanges: number
}

/**
 * A refusal by the gateway, with the words to show; or, with status 0 and the code `unreachable`, no word from it in
 * time: then what was asked for may have been done all the same.
 */
export interface Refused {
  readonly ok: false
  readonly status: number
  readonly code: string
  readonly message: string
  /** What the agent itself said, where it refused. */
  readonly detail?: string
  /** With `already_settled`: the outcome that won. */
  readonly outcome?: Outcome
  readonly issues?: readonly string[]
}
export type Result<Value> = { readonly ok: true; readonly value: Value } | Refused

export interface Thread {
  subscribe(listener: () => void): () => void
  getState(): ThreadState
  /** Loads the page before the oldest item; nothing while one is loading or when there is none. */
  loadOlder(): Promise<void>
  /** Loads all pages back to the one with this item. Says whether it is loaded then. */
  loadBackTo(id: ItemId): Promise<boolean>
  /** Lets go of the thread. */
  close(): void
}

export interface ThreadState {
  /**
   * `loading` until the first page is here; `failed` when it could not be read (it is tried again when live); `damaged` when
   * the record of the session was changed since, and it cannot be shown.
   */
  readonly state: 'loading' | 'ready' | 'failed' | 'damaged'
  readonly items: readonly Item[]
  /** Asks named by items: open ones and those settled, as far as known. */
  readonly asks: ReadonlyMap<string, Ask>
  readonly hasOlder: boolean
  readonly loadingOlder: boolean
  /** What the agent is saying right now, per subagent ('' is the agent itself): text that is no item yet. */
  readonly partial: ReadonlyMap<string, string>
}

/** Calls resolve with a `Result`; they reject, with a `TransportFault`, only when they were called off or closed. */
export interface GatewayClient {
  /** What it was made with, where that is a whole transport and not a wire alone. */
  readonly transport?: Transport
  subscribe(listener: () => void): () => void
  getState(): GatewayState
  /** Tries to connect now instead of when the back-off is over: the device woke up, or the person asked. */
  reconnect(): void
  /** Says whether a person looks at this page: a device whose page is in front gets no notifications. */
  setInFront(inFront: boolean): void
  /** Settles everything that waits with a fault, and stops. */
  close(): void

  /**
   * Sends the answer with the ask's digest and one idempotency key. A reply that got lost is asked for again under the
   * same key until the gateway says what it recorded, or `signal` aborts (the answer may have counted all the same), or,
   * where `attempts` is given, it was asked for so often.
   */
  answer(
    ask: Ask,
    answer: Answer,
    options?: { readonly signal?: AbortSignal; readonly attempts?: number },
  ): Promise<Result<Outcome>>
  answerAll(
    answers: readonly { readonly ask: Ask; readonly answer: Answer }[],
  ): Promise<readonly { readonly ask: Ask; readonly result: Result<Outcome> }[]>
  /** Says once per ask that a person has it before their eyes. */
  seen(ask: Ask): void
  /** The ask with what is large in it, where that was left out (`omitted`); nothing can be allowed without it. */
  wholeAsk(ask: Ask): Promise<Result<Ask>>

  thread(sessionId: SessionId): Thread
  /** These two are done once, as `answer` is: a reply that got lost is asked for until the gateway gives it. */
  startSession(options: CallInput<typeof paths.sessions.start>['body']): Promise<Result<Session>>
  sendMessage(sessionId: SessionId, message: SendMessage): Promise<Result<ReplyOf<typeof paths.sessions.sendMessage>>>
  cancelMessage(sessionId: SessionId, messageId: ItemId): Promise<Result<void>>
  interrupt(sessionId: SessionId): Promise<Result<void>>
  endSession(sessionId: SessionId): Promise<Result<void>>
  /** Removes what was said in an ended session, for good. */
  deleteSession(sessionId: SessionId): Promise<Result<void>>
  setMode(sessionId: SessionId, permissionMode: PermissionMode): Promise<Result<void>>
  setModel(sessionId: SessionId, model: string): Promise<Result<void>>
  /** What it may use before a person is asked; an empty one is no limit. */
  setBudget(sessionId: SessionId, budget: Budget): Promise<Result<void>>
  renameSession(sessionId: SessionId, title: string): Promise<Result<void>>
  /** Puts a session out of the lists, or back into them. */
  archiveSession(sessionId: SessionId, archived: boolean): Promise<Result<void>>
  /** The models and the slash commands that its agent offers. */
  offers(sessionId: SessionId): Promise<Result<Offers>>
  /** The models that the last agent of this kind has named, on this machine where there are several. */
  models(agent: string, node?: NodeId): Promise<Result<readonly OfferedModel[]>>
  /** Files in its folder that a person may mean by what they have typed. */
  files(sessionId: SessionId, typed: string): Promise<Result<ReplyOf<typeof paths.sessions.files>>>
  /** With a digest, trusts the folder only if it is what was shown under that. */
  setTrust(sessionId: SessionId, trusted: boolean, digest?: string): Promise<Result<void>>
  upload(file: Blob): Promise<Result<ReplyOf<typeof paths.attachments.upload>>>
  /** A file that somebody brought, under its own type. */
  attachment(id: AttachmentId, signal?: AbortSignal): Promise<Result<Blob>>

  me(): Promise<Result<Me>>
  /** Looks at one folder, or at those that were used lately. Where there are several machines, on this one. */
  folders(path?: string, node?: NodeId): Promise<Result<Folders>>
  /** What a path that is being typed may go on with. */
  foldersLike(path: string, node?: NodeId): Promise<Result<FoldersLike>>
  trustedFolders(node?: NodeId): Promise<Result<readonly TrustedFolder[]>>
  distrustFolder(path: string, node?: NodeId): Promise<Result<void>>
  /** What sessions get that are started without limits of their own. */
  timeLimits(): Promise<Result<TimeLimits>>
  setTimeLimit(limit: CallInput<typeof paths.timeLimits.set>['body']): Promise<Result<void>>
  removeTimeLimit(place: LimitPlace): Promise<Result<void>>
  /** How long ended sessions stay in the log before they move to the archive. */
  retention(): Promise<Result<Retention>>
  /** What would move with such a setting now. */
  retentionPreview(query: CallInput<typeof paths.retention.preview>['query']): Promise<Result<RetentionPreview>>
  setRetention(keep: Keep): Promise<Result<void>>
  removeRetention(place: KeepPlace): Promise<Result<void>>
  devices(): Promise<Result<readonly Device[]>>
  revokeDevice(id: string): Promise<Result<void>>
  /** An owner may rename any device, others their own. */
  renameDevice(id: string, name: string): Promise<Result<Device>>
  pair(options: CallInput<typeof paths.account.pair>['body']): Promise<Result<ReplyOf<typeof paths.account.pair>>>
  /** Which device has used the code of a pairing, if any has. */
  pairing(id: string): Promise<Result<ReplyOf<typeof paths.account.pairing>>>
  login(code: string, name?: string): Promise<Result<void>>
  logout(): Promise<Result<void>>
  /** Settled asks that fit, newest first, page by page: the `next` of a page gives the one that follows. */
  history(query?: CallInput<typeof paths.history.list>['query']): Promise<Result<ReplyOf<typeof paths.history.list>>>
  /** What a search of the history can be narrowed down to. */
  historyChoices(): Promise<Result<ReplyOf<typeof paths.history.choices>>>
  /** What rules allowed without asking anybody since then; without a time, only from when on to ask. */
  letThrough(from?: number): Promise<Result<LetThrough>>
  /** What agents have reported of their use of the model. */
  usage(query: CallInput<typeof paths.usage.read>['query']): Promise<Result<UsageReport>>
  /** One ask whole, who saw it, and its place in the hash chain. */
  historyDetail(id: AskId): Promise<Result<HistoryDetail>>
  /**
   * Sessions that have ended, newest first, at most a hundred at a time: the state holds the latest of them alone. A page of a
   * search may be empty and still not be the last.
   */
  endedSessions(query?: EndedSessionsQuery): Promise<Result<ReplyOf<typeof paths.sessions.list>>>
  /** One session, however long ago it ended. */
  session(id: string): Promise<Result<Session>>
  /** An entry of a thread with all of its input, where that was left out (`omitted`). */
  wholeItem(sessionId: SessionId, id: ItemId): Promise<Result<Item>>
  /** What a session has changed in its folder, since its start or since its last message. */
  changes(sessionId: SessionId, since: ChangesSince): Promise<Result<ChangedFiles>>
  /** One of these files, with its diff. */
  change(sessionId: SessionId, since: ChangesSince, path: string): Promise<Result<FileDiff>>
  rules(): Promise<Result<readonly ListedRule[]>>
  removeRule(id: RuleId): Promise<Result<void>>
  /** Rules that an allow of this ask could make, narrowest first. */
  offeredRules(ask: Ask): Promise<Result<OfferedRules>>
  /** Whether an allow of this ask could make this rule. Nothing is saved. */
  checkRuleFor(ask: Ask, remember: RememberRequest): Promise<Result<ReplyOf<typeof paths.asks.checkRule>>>
  readonly policy: PolicyCalls
  readonly notifications: NotificationCalls
  readonly machines: MachineCalls
}

export type EndedSessionsQuery = Pick<
  NonNullable<CallInput<typeof paths.sessions.list>['query']>,
  'before' | 'search' | 'archived' | 'project'
>

/** The machines whose gateways share one log. */
export interface MachineCalls {
  /** None where there is one gateway. */
  list(): Promise<Result<readonly Machine[]>>
  change(id: NodeId, body: CallInput<typeof paths.machines.change>['body']): Promise<Result<void>>
  /** Ends the sessions of a machine that cannot be reached, and withdraws their asks. Says how many sessions. */
  giveUp(id: NodeId): Promise<Result<ReplyOf<typeof paths.machines.giveUp>>>
  /** Takes a machine off the list. */
  forget(id: NodeId): Promise<Result<void>>
}

/** The rules of the policy. */
export interface PolicyCalls {
  /** With a folder, also the policy file of the repository there. */
  read(folder?: string): Promise<Result<ReplyOf<typeof paths.policy.read>>>
  add(rule: CallInput<typeof paths.policy.add>['body']): Promise<Result<PolicyRule>>
  /** Refused as `changed` where the rule has another revision by now. */
  change(id: RuleId, body: CallInput<typeof paths.policy.change>['body']): Promise<Result<PolicyRule>>
  remove(id: string): Promise<Result<void>>
  addStarter(): Promise<Result<ReplyOf<typeof paths.policy.addStarter>>>
  /** Refused as `changed` where one of them was edited or removed meanwhile. */
  removeStarter(rules: readonly RuleId[]): Promise<Result<ReplyOf<typeof paths.policy.removeStarter>>>
  explain(call: CallInput<typeof paths.policy.explain>['body']): Promise<Result<Verdict>>
  check(body: CallInput<typeof paths.policy.check>['body']): Promise<Result<ReplyOf<typeof paths.policy.check>>>
  /** What a rule would have done to past asks. Rejects when the signal aborts. */
  dryRun(body: CallInput<typeof paths.policy.dryRun>['body'], signal: AbortSignal): Promise<Result<DryRunResult>>
  /** Rules for what people allowed again and again. */
  suggestions(): Promise<Result<readonly SuggestedRule[]>>
}

type NotificationPaths = typeof paths.notifications

/** Notifications to this device; for owners also those to others, the channels and the escalations. */
export interface NotificationCalls {
  read(): Promise<Result<ReplyOf<NotificationPaths['read']>>>
  /** Called again, it changes the settings. */
  subscribe(body: CallInput<NotificationPaths['subscribe']>['body']): Promise<Result<DeviceNotices>>
  unsubscribe(): Promise<Result<void>>
  setMayAllow(id: DeviceId, mayAllow: boolean): Promise<Result<DeviceNotices>>
  /** Sends a test, and waits for the device to report. */
  test(to: DeviceId | ChannelId): Promise<Result<readonly TestStep[]>>
  addChannel(channel: ChannelInput): Promise<Result<ReplyOf<NotificationPaths['addChannel']>>>
  changeChannel(id: ChannelId, channel: ChannelInput): Promise<Result<void>>
  removeChannel(id: ChannelId): Promise<Result<void>>
  /** Replaces all of them. */
  setEscalations(escalations: readonly Escalation[]): Promise<Result<void>>
}
