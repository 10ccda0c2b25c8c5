import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import type { Records } from '@holdpoint/core/store'
import type { Ask } from '@holdpoint/schema/ask'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import { isBeginning, placeOf } from './arrival.ts'
import { type AttachedRun, createAttachedRun } from './attached-run.ts'
import type { KnownCall, SoughtCall } from './call-book.ts'
import type { MayOthersAnswer } from './gated-calls.ts'
import type { HookCall } from './hook-call.ts'
import type { ProcessWatch } from './process-watch.ts'
import type { Rounds } from './rounds.ts'
import { TerminalPlace } from './terminal-place.ts'
import type { FolderWatches } from './watch-folder.ts'

/** A terminal that the gateway holds, as far as the hooks of what runs in it are concerned. */
export interface HostedTerminal {
  readonly start: DriverStart
  /** Every program in the terminal descends from this process. */
  readonly pid: number
  /** Asks that hooks brought to an earlier gateway, and that are open. */
  readonly open: readonly Ask[]
  /** Claude Code has gone on to this conversation, or has begun it. */
  readonly onConversation: (place: TerminalPlace) => void
  /** Whether this call has been read off the screen and put to people already. */
  readonly isAsked: (call: SoughtCall) => boolean
  /** Brings the thread up to date: a call stands before its ask. */
  readonly readThread: () => Promise<void>
}

/**
 * The hooks of every Claude Code that runs in one hosted terminal. Their asks are asks of its session. Each dialog is put to
 * people once: by the hook that came with it, or, where none did or it has let go, from the screen.
 */
export interface TerminalHooks {
  readonly pid: number
  /** Whether a process below these belongs to the terminal itself, not to a Claude Code that runs in it. */
  owns(ancestors: readonly number[]): boolean
  /** The conversation that a call belongs to; taken up where it is not known yet. */
  runOf(call: HookCall): Promise<AttachedRun | undefined>
  /** Why an answer to this ask would reach nobody, if so. */
  recheck(ask: Pick<Ask, 'requestId'>): Promise<string | undefined>
  /** Whether the dialog of this call, on the screen since then, is for the screen to raise. */
  leavesToScreen(call: KnownCall, since: number): boolean
  /** Whether a hook waits for an answer. */
  isHolding(): boolean
  /** Whether a Claude Code runs here whose hooks were heard. */
  isHeard(): boolean
  /** The terminal has ended, or is left to the next gateway. */
  close(how: 'ended' | 'detached'): Promise<void>
}

export interface TerminalHooksDeps {
  readonly records: Records
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly watches: FolderWatches
  readonly processWatch: ProcessWatch
  readonly rounds: Rounds
  readonly mayOthersAnswer: MayOthersAnswer
  readonly warn: LogFunction
}

const COLLECTION = 'terminal-hooks'
/** Where hooks are heard, they come long before this. */
const EXPECTED_MS = 5000

export function createTerminalHooks(deps: TerminalHooksDeps, terminal: HostedTerminal): TerminalHooks {
  const { records, clock, warn } = deps
  const { start } = terminal
  const runs = new Map<string, AttachedRun>()
  /** Claude Codes that run here: what is below them is theirs. */
  const processes = new Set<number>()
  /** Requests of an earlier gateway that have come again, and to which conversation. */
  const returned = new Map<string, string>()
  let isOver = false
  let isRecalling = start.attach !== undefined
  const recalling = isRecalling ? recall().finally(() => (isRecalling = false)) : Promise.resolve()

  async function recall() {
    const parsed = TerminalPlace.safeParse(await records.get(COLLECTION, start.sessionId))
    if (!parsed.success) return terminal.open.forEach(drop)
    if (isOver) return
    processes.add(parsed.data.process.pid)
    begin(parsed.data, terminal.open)
  }

  /** Nobody will come for this ask any more. */
  function drop(ask: Ask) {
    if (returned.has(ask.requestId)) return
    start
      .ask(ask, { signal: AbortSignal.abort() })
      .catch((error: unknown) => warn('ask_not_cancelled', { requestId: ask.requestId, error: String(error) }))
  }

  function begin(place: TerminalPlace, open?: readonly Ask[]): AttachedRun {
    const over = new AbortController()
    const run = createAttachedRun({
      start: partOf(place, over.signal, open),
      place,
      tools: deps.tools,
      clock,
      watches: deps.watches,
      processWatch: deps.processWatch,
      rounds: deps.rounds,
      mayOthersAnswer: deps.mayOthersAnswer,
      warn,
      remember,
      thread: { read: terminal.readThread },
      isAsked: terminal.isAsked,
    })
    runs.set(place.vendorSessionId, run)
    void run.done.then((end) => {
      if (runs.get(place.vendorSessionId) === run) runs.delete(place.vendorSessionId)
      // With the terminal, its session ends, and says why its asks are withdrawn.
      if (end === 'detached' || isOver) return
      over.abort()
      open?.forEach(drop)
    })
    return run
  }

  /** The session is the terminal's: what a conversation in it does to a session of its own, it does not do to this one. */
  function partOf(place: TerminalPlace, over: AbortSignal, open: readonly Ask[] | undefined): DriverStart {
    const { attach, ...rest } = start
    const isOurs = (requestId: string) => (returned.get(requestId) ?? place.vendorSessionId) === place.vendorSessionId
    return {
      ...rest,
      ...(attach && open && { attach: { ...attach, open } }),
      tryEmit: async (events) => {
        const kept = events.filter(concernsTerminal)
        if (kept.length > 0) await start.tryEmit(kept)
      },
      ask: (request, { signal, ...more }) => start.ask(request, { signal: AbortSignal.any([signal, over]), ...more }),
      answeredElsewhere: async (requestId, answer) =>
        isOurs(requestId) ? start.answeredElsewhere(requestId, answer) : undefined,
      reattached: () => open?.forEach(drop),
    }
  }

  async function remember(place: TerminalPlace) {
    await records
      .put(COLLECTION, start.sessionId, place)
      .catch((error: unknown) => warn('terminal_conversation_not_persisted', { error: String(error) }))
  }

  const live = () => [...runs.values()].filter((run) => !run.isOver())

  return {
    pid: terminal.pid,
    owns(ancestors) {
      const place = ancestors.indexOf(terminal.pid)
      return place >= 0 && !ancestors.slice(0, place).some((pid) => processes.has(pid))
    },
    async runOf(call) {
      await recalling
      const { hook, process, requestId } = call
      if (terminal.open.some((ask) => ask.requestId === requestId)) returned.set(requestId, hook.session_id)
      const known = runs.get(hook.session_id)
      if (known && !known.isOver() && (await known.takes(process))) return known
      if (isOver || !isBeginning(hook)) return undefined
      const place = await placeOf(call)
      if (!place || isOver) return undefined
      processes.add(process.pid)
      // Without it the next gateway will not know of the hooks; this one does.
      await remember(place)
      terminal.onConversation(place)
      return begin(place)
    },
    async recheck(ask) {
      if (isRecalling) return 'The terminal is being reattached. Try again in a moment.'
      const whose = returned.get(ask.requestId)
      const asked = live().filter(({ vendorSessionId }) => (whose ?? vendorSessionId) === vendorSessionId)
      const whys = await Promise.all(asked.map((run) => run.recheck(ask)))
      return whys.find((why) => why !== undefined)
    },
    leavesToScreen(call, since) {
      if (isRecalling) return false
      // What the screen shows is then the dialog of what that hook holds, whatever else it looks like.
      if (live().some((run) => run.holdsDialog())) return false
      const states = live().map((run) => run.dialogOf(call))
      if (states.includes('held')) return false
      return states.length === 0 || states.includes('let-go') || clock.now() - since >= EXPECTED_MS
    },
    isHeard: () => live().length > 0,
    isHolding: () => live().some((run) => run.isHolding()),
    async close(how) {
      isOver = true
      await recalling
      for (const run of live()) await (how === 'detached' ? run.detach() : run.stop())
      if (how === 'ended') await records.remove(COLLECTION, start.sessionId).catch(() => {})
    },
  }
}

/** Whether a terminal works or waits, and what it is called, is not for a conversation in it to say. */
function concernsTerminal({ type }: AgentEvent): boolean {
  return type === 'item' || type === 'identified' || type === 'mode-changed'
}
