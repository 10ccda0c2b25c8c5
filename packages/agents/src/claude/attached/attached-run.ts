import type { Clock } from '@holdpoint/core/clock'
import type { AgentEnd, AgentEvent, AgentRun, DriverStart } from '@holdpoint/core/driver'
import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { createCallBook, type KnownCall, type SoughtCall } from './call-book.ts'
import { coalesce } from './coalesce.ts'
import { createGatedCalls, type MayOthersAnswer } from './gated-calls.ts'
import type { HeldDialog } from './held-request.ts'
import { createHeldRequests, RETURN_MS } from './held-requests.ts'
import type { HookCall, HookReply, ProcessName } from './hook-call.ts'
import { createHookNews, isWritten } from './hook-news.ts'
import { isRunning } from './process-life.ts'
import type { ProcessWatch } from './process-watch.ts'
import type { Rounds } from './rounds.ts'
import { hasScreen, isDriven, readSessionRecord } from './session-record.ts'
import { createSessionTranscripts } from './session-transcripts.ts'
import { configFolderOf, type TerminalPlace } from './terminal-place.ts'
import type { CallFact } from './transcript-facts.ts'
import { createTurnState, SILENT_MS } from './turn-state.ts'
import { createUnaskedDialog } from './unasked-dialog.ts'
import type { FolderWatches } from './watch-folder.ts'

export interface AttachedRunOptions {
  readonly start: DriverStart
  readonly place: TerminalPlace
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly watches: FolderWatches
  readonly processWatch: ProcessWatch
  readonly rounds: Rounds
  readonly warn: LogFunction
  /** Keeps where the agent is, for the next gateway. */
  readonly remember: (place: TerminalPlace) => Promise<void>
  /** Set where somebody else writes the session's thread, as a hosted terminal does: brings it up to date. */
  readonly thread?: { read(): Promise<void> }
  /** Whether somebody else has put this call to people already. */
  readonly isAsked?: (call: SoughtCall) => boolean
  readonly mayOthersAnswer: MayOthersAnswer
}

export interface AttachedRun extends AgentRun {
  readonly sessionId: SessionId
  readonly vendorSessionId: string
  isOver(): boolean
  /** Whether this process is part of it, or becomes so now. False when all of its processes are gone. */
  takes(process: ProcessName): Promise<boolean>
  /** An event of the agent's life. */
  heard(call: HookCall): Promise<void>
  /** A call before it runs; resolves with what its hook is told. Aborting means that the hook has gone. */
  before(call: HookCall, signal: AbortSignal): Promise<HookReply>
  /** A permission request; the same holds. */
  asked(call: HookCall, signal: AbortSignal): Promise<HookReply>
  /** Why an answer to this request would reach nobody, if so. */
  recheck(ask: Pick<Ask, 'requestId'>): Promise<string | undefined>
  /** What hooks have to do with the dialog of this call. */
  dialogOf(call: KnownCall): HeldDialog
  /** Whether a hook waits for an answer. */
  isHolding(): boolean
  /** Whether a hook waits whose dialog is on the screen. */
  holdsDialog(): boolean
}

/** Hooks that waited on an earlier gateway try for 15 seconds to come back. */
const COME_BACK_MS = 20_000
const LAST_WORD_MS = 400
/** What was said then counts as silence by then. */
const LOOK_AFTER_MS = SILENT_MS + 100
/** The call that is asked about is written down a moment later than it is asked about. */
const WRITTEN_MS = 500
/** The last words of a turn are written down a moment later than its end is told. */
const SAID_MS = 1000
/** How often is looked within these times. */
const LOOKS = 20

/** One conversation in a terminal, for as long as its process lives and this gateway follows it. */
export function createAttachedRun(options: AttachedRunOptions): AttachedRun {
  const { start, clock, place, warn } = options
  const { vendorSessionId, transcript } = place
  const processes = new Map<number, ProcessName>()
  const stopping: (() => void)[] = []
  const book = createCallBook(start.cwd)
  /** Processes that were seen to have this conversation open. */
  const here = new Set<number>()
  /** Processes that are gone, until it is known how they went. */
  const dying = new Set<number>()
  /** Calls that had no result when we came: this process's own, or of one before it that was killed. */
  const earlierCalls = new Set<string>()
  /** It has begun while we listened, so none of those is its own. */
  let isFresh = false
  const over = new AbortController()
  const startedAt = clock.now()
  const turn = createTurnState(clock, emit)
  const news = createHookNews(start, vendorSessionId)
  /** A dialog is on the screen, or there is no screen to tell. */
  let mayAsk = true
  let last: Promise<void> = Promise.resolve()
  let settle = (_end: AgentEnd | 'detached') => {}
  const done = new Promise<AgentEnd | 'detached'>((resolve) => {
    settle = resolve
  })

  /** Everything that there is to see about the agent. */
  const look = coalesce(async () => {
    try {
      if (!over.signal.aborted) await lookOnce()
    } catch (error) {
      warn('terminal_not_checked', { vendorSessionId, error: String(error) })
    }
  })
  const transcripts = createSessionTranscripts({
    start,
    place,
    book,
    watches: options.watches,
    signal: over.signal,
    hasThread: options.thread === undefined,
    onFact,
    onChange() {
      void look()
      lookLater()
    },
  })
  const held = createHeldRequests({
    start,
    book,
    tools: options.tools,
    clock,
    warn,
    named: ({ hook }) => transcripts.named(hook),
    look,
    mayReturn: () => start.attach !== undefined && clock.now() - startedAt < COME_BACK_MS,
  })
  const gated = createGatedCalls({
    ...options,
    book,
    configFolder: transcript && configFolderOf(transcript),
    named: ({ hook }) => transcripts.named(hook),
    async written(toolUseId) {
      const isWrittenDown = () => toolUseId === undefined || book.nameOf(toolUseId) !== undefined
      if (transcripts.exist) await lookUntil(isWrittenDown, WRITTEN_MS)
      await options.thread?.read()
    },
  })
  const noteUnasked = createUnaskedDialog({ clock, isHolding: held.isHolding, look, emit })

  /** Whatever comes with it, or a moment after it, is seen by then. Where nothing happens, nobody looks but the rounds. */
  let isToLook = false
  function lookLater() {
    if (isToLook || over.signal.aborted) return
    isToLook = true
    clock.after(LOOK_AFTER_MS, () => {
      isToLook = false
      void look()
    })
  }

  function join(process: ProcessName) {
    processes.set(process.pid, process)
    transcripts.watchRecord(process.pid)
    stopping.push(options.processWatch.add(process, () => gone(process)))
  }

  async function onFact(fact: CallFact, { isOld }: { isOld: boolean }) {
    switch (fact.type) {
      case 'called':
        if (isOld && isFresh) return
        if (isOld) earlierCalls.add(fact.call.toolUseId)
        called(fact.call)
        return
      case 'hook-decided':
        return isOld ? undefined : held.hookDecided(fact)
      case 'ended':
        if (isOld) return book.closed(fact.toolUseId)
        gated.ended(fact)
        return held.ended(fact)
      default:
        return fact satisfies never
    }
  }

  function called(call: KnownCall) {
    book.opened(call)
    held.link()
  }

  /** A conversation is taken up: of what was under way in it, nothing is any more. */
  function begun() {
    // In a second terminal of the same conversation, the first one's calls go on.
    if (processes.size > 1) return
    isFresh = true
    for (const toolUseId of earlierCalls) book.dropped(toolUseId)
    earlierCalls.clear()
  }

  function finish(end: AgentEnd | 'detached') {
    if (over.signal.aborted) return
    over.abort()
    for (const stop of stopping) stop()
    transcripts.close()
    settle(end)
  }

  async function lookOnce() {
    for (const process of [...processes.values()]) if (!(await isRunning(process))) gone(process)
    // The transcript first: it says what was chosen in a dialog that has left the screen.
    await transcripts.read()
    if (transcript === undefined) return
    for (const process of [...processes.values()]) await readRecord(configFolderOf(transcript), process)
  }

  async function readRecord(folder: string, process: ProcessName) {
    const record = await readSessionRecord(folder, process.pid)
    if (!record) return
    // A program that starts Claude Code has gates of its own; only terminals are ours to follow.
    if (isDriven(record)) return lost(process, { reason: 'not-a-terminal' })
    if (record.sessionId !== vendorSessionId) {
      // It has gone on to another conversation; before it was here, it may be on its way.
      if (here.has(process.pid)) lost(process, { reason: 'ended-at-terminal' })
      return
    }
    here.add(process.pid)
    if (hasScreen(record)) held.onScreen(process.pid, record)
    mayAsk = record.status === 'waiting' || !hasScreen(record)
    if (hasScreen(record)) await noteUnasked(record)
    // What it said last is to stand before the end of its turn.
    const isJustIdle = record.status === 'idle' && clock.now() - (record.statusAt ?? 0) < SAID_MS
    if (isJustIdle && turn.isWorking() && !transcripts.isAtRest()) return lookLater()
    await turn.noted(process.pid, record)
  }

  /** Its last hook may be on its way, and says better how it ended. */
  function gone(process: ProcessName) {
    if (dying.has(process.pid) || over.signal.aborted) return
    dying.add(process.pid)
    stopping.push(clock.after(LAST_WORD_MS, () => lost(process, { reason: 'agent-exited' })))
  }

  function lost(process: ProcessName, end: AgentEnd) {
    processes.delete(process.pid)
    if (processes.size === 0) return finish(end)
    held.gone(process.pid)
    gated.gone(process.pid)
  }

  async function emit(events: readonly AgentEvent[]) {
    if (events.length > 0 && !over.signal.aborted) await start.tryEmit(events)
  }

  async function handle(call: HookCall): Promise<void> {
    const { hook } = call
    turn.heard()
    lookLater()
    await transcripts.follow(hook)
    const told = news.identity(hook)
    switch (hook.hook_event_name) {
      case 'SessionStart':
        // Summing up happens in the middle of a turn as well.
        if (hook.source === 'compact') return emit(told)
        begun()
        return turn.told(false, told)
      case 'UserPromptSubmit':
        if (isWritten(hook)) await held.giveBack(call.process.pid)
        return turn.told(true, [...told, ...news.title(hook)])
      case 'PostToolUse':
      case 'PostToolUseFailure': {
        const { tool_use_id: toolUseId, tool_name: name, tool_input: input = {}, tool_response: response } = hook
        const from = hook.agent_id === undefined ? {} : { agentId: hook.agent_id }
        if (toolUseId !== undefined && name !== undefined) {
          await gated.ran({ toolUseId, name, input, response })
          await held.ran({ toolUseId, name, input, response, ...from })
        }
        if (name === 'ExitPlanMode') await held.leftPlan(hook.permission_mode)
        // No sign that it is at work: this may come after the end of the turn.
        return emit(told)
      }
      case 'Stop':
      case 'StopFailure':
        await said()
        return turn.told(false, told)
      case 'SessionEnd':
        await look()
        return lost(call.process, { reason: hook.reason === 'clear' ? 'cleared-at-terminal' : 'ended-at-terminal' })
      default:
        return emit(told)
    }
  }

  /** Waits a moment for the agent's last words, so that they stand before the end of its turn. */
  function said(): Promise<void> {
    return lookUntil(() => transcripts.isAtRest(), SAID_MS)
  }

  /** Waits a moment for the call to be in the transcript, so that it stands before its ask, and the ask names it. */
  async function written({ requestId, hook }: HookCall) {
    const { tool_name: name, tool_input: input, agent_id: agentId } = hook
    const isWrittenDown = () =>
      name === undefined || !transcripts.exist || Boolean(book.claim({ requestId, name, input, agentId }))
    await lookUntil(isWrittenDown, WRITTEN_MS)
  }

  async function lookUntil(isSeen: () => boolean, limitMs: number) {
    for (let looks = 0; looks < LOOKS && !over.signal.aborted; looks++) {
      await look()
      if (isSeen()) return
      await new Promise<void>((resolve) => clock.after(limitMs / LOOKS, resolve))
    }
  }

  function isAskedAlready({ requestId, hook }: HookCall): boolean {
    const { tool_name: name, tool_input: input, agent_id: agentId } = hook
    if (name === undefined || held.knows(requestId)) return false
    const toolUseId = book.callOf(requestId)
    return (
      options.isAsked?.({ requestId, name, input, agentId, ...(toolUseId !== undefined && { toolUseId }) }) === true
    )
  }

  /** An earlier gateway has left asks open: where no dialog is shown, they are over. */
  async function lookForLost() {
    await look()
    if (!over.signal.aborted && !mayAsk) await held.nothingOnScreen()
  }

  join(place.process)
  stopping.push(options.rounds.add(look))
  if (start.attach) {
    stopping.push(clock.after(RETURN_MS, () => void lookForLost()))
    stopping.push(
      clock.after(COME_BACK_MS, () => {
        held.noneReturns()
        gated.noneReturns()
        start.reattached({ open: [...held.open(), ...gated.open()], answered: [] })
      }),
    )
  }
  void emit([{ type: 'ready' }])
    .then(look)
    .catch((error: unknown) => warn('terminal_not_followed', { vendorSessionId, error: String(error) }))

  return {
    sessionId: start.sessionId,
    vendorSessionId,
    isOver: () => over.signal.aborted,
    async takes(process) {
      if (processes.has(process.pid)) return true
      for (const known of [...processes.values()])
        if (!(await isRunning(known))) lost(known, { reason: 'agent-exited' })
      if (over.signal.aborted) return false
      // The same conversation, in a second terminal.
      join(process)
      await options.remember({ ...place, process })
      return true
    },
    heard(call) {
      // In order: what an event means depends on those before it.
      last = last
        .then(() => (over.signal.aborted ? undefined : handle(call)))
        .catch((error: unknown) =>
          warn('terminal_event_lost', { hookEvent: call.hook.hook_event_name, error: String(error) }),
        )
      return last
    },
    async before(call, signal) {
      // Not waited for: what else it tells decides nothing here.
      void this.heard(call)
      return gated.reply(call, signal)
    },
    async asked(call, signal) {
      const repeated = gated.repeated(call)
      if (repeated) return repeated
      const arrivedAt = clock.now()
      lookLater()
      await last
      await transcripts.follow(call.hook)
      // Its tool call may have been written down by now: then the ask knows which one it is.
      await written(call)
      await options.thread?.read()
      if (over.signal.aborted || isAskedAlready(call)) return {}
      await turn.told(true, news.identity(call.hook))
      return held.reply(call, signal, arrivedAt)
    },
    async recheck({ requestId }) {
      await look()
      return held.whyTooLate(requestId) ?? gated.whyTooLate(requestId)
    },
    dialogOf: held.dialogOf,
    isHolding: held.isHolding,
    holdsDialog: held.holdsDialog,
    async stop() {
      finish({ reason: 'stopped' })
    },
    async detach() {
      finish('detached')
    },
    done,
  }
}
