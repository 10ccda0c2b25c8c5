import { join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { WantedCall } from '../attached/call-book.ts'
import type { TerminalHooks } from '../attached/terminal-hooks.ts'
import type { InteractiveTools } from '../claude/interactive-tools.ts'
import type { OpenCall } from '../transcript/open-calls.ts'
import type { SessionFile } from '../transcript/session-files.ts'
import { type Certainty, type ConversationOptions, followConversation } from './conversation.ts'
import { untypeable } from './dialog-keys.ts'
import { shownCalls, showsCall } from './dialog-match.ts'
import { createScreenAsks, requestIdOf } from './screen-asks.ts'
import { readDialog, type ScreenDialog } from './screen-dialog.ts'
import type { Terminal } from './terminal.ts'

export interface ClaudeWatchOptions {
  readonly start: DriverStart
  readonly terminal: Terminal
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly projects: string
  readonly vendorSessionId: string | undefined
  /** See `followConversation`. */
  readonly from: ConversationOptions['from']
  /** Claude Code ran before this gateway did: asks of it may be open on record. */
  readonly isTakenUp: boolean
  /** Which conversation it is, or how sure that is, has changed. */
  readonly onCertainty: () => void
  /** More of the conversation has been read. */
  readonly onRead: () => void
  /** Whether a dialog stays on the screen that cannot be put to people here. */
  readonly onUnread: (isUnread: boolean) => void
  readonly hooks: Pick<TerminalHooks, 'leavesToScreen' | 'isHolding' | 'isHeard'>
  /** Whether another session speaks for the same conversation. */
  readonly hasHooks: (vendorSessionId: string) => boolean
  readonly commit: (events: readonly AgentEvent[], checkpoint?: number) => Promise<void>
  readonly warn: (message: string, details?: Record<string, unknown>) => void
  readonly signal: AbortSignal
}

export interface ClaudeWatch {
  readonly certainty: Certainty
  readonly isAtRest: boolean
  /** What is on the screen now. */
  screen(lines: readonly string[]): void
  /** The conversation is in this file. */
  moveTo(file: Pick<SessionFile, 'path' | 'sessionId'>): void
  /** Whether this call is asked about from the screen. */
  isAsked(call: WantedCall): boolean
  /** Reads what the conversation holds by now. */
  readNow(): Promise<void>
  recheck(ask: Ask, answer: Answer): Promise<string | undefined>
  /** The dialog on the screen that is this ask's; `other` where it is about another call. */
  dialogOf(ask: Ask): Promise<ScreenDialog | 'other' | undefined>
  readonly closed: Promise<void>
}

/** A dialog that stays on the screen for so long and fits no call is for a person at the terminal. */
const UNREAD_MS = 4000
const LOOK_AGAIN_MS = 1000
/** What a person has said. The prompt itself looks the same, below a rule. */
const SAID = /^❯ \S/
const CLEAR = /^❯ \/clear\s*$/

/**
 * Claude Code in a hosted terminal: its transcript says which calls wait, its screen which of them a person is asked
 * about. Only where both say the same, and no hook speaks for it, is there an ask from here.
 */
export function watchClaude(options: ClaudeWatchOptions): ClaudeWatch {
  const { start, terminal, clock, signal, commit, warn } = options
  let vendorSessionId = options.vendorSessionId
  let dialog: ScreenDialog | undefined
  let unread: { readonly text: string; readonly cancel: () => void } | undefined
  let told = ''
  let showsClear = false
  let shown: { readonly toolUseId: string; readonly since: number } | undefined
  let cancelLook = () => {}

  const conversation = followConversation({
    cwd: start.cwd,
    projects: options.projects,
    vendorSessionId,
    from: options.from,
    clock,
    signal,
    ...(options.isTakenUp && {
      onTakenUp: (open: readonly OpenCall[]) => start.reattached({ open: open.map(requestIdOf), answered: [] }),
    }),
    onIdentified(id, place) {
      vendorSessionId = id
      void commit([{ type: 'identified', vendorSessionId: id }], place)
    },
    onCertainty: options.onCertainty,
    onRead: options.onRead,
    onItems: (items, place) =>
      commit(
        items.map((item) => ({ type: 'item', item })),
        place,
      ),
    onWaiting: look,
    onEnded: (ended) => asks.ended(ended),
    onNotWaiting: (call) => asks.notWaiting(call),
    onFault: (error) => warn('a transcript could not be followed', { error: String(error) }),
  })
  const asks = createScreenAsks({
    start,
    terminal,
    tools: options.tools,
    clock,
    conversation,
    dialog: () => (fittingCalls().length > 0 ? dialog : undefined),
    onOver: look,
    plansFolder: join(options.projects, '..', 'plans'),
    notice: (level, text) => void commit([{ type: 'item', item: { type: 'notice', level, text } }]),
    warn,
    signal,
  })

  function fittingCalls(): readonly OpenCall[] {
    return dialog ? shownCalls(dialog, conversation.open(), conversation.cwd) : []
  }

  /** Which call the dialog on the screen is about, if it is one that waits. */
  function shownCall(): OpenCall | undefined {
    const fitting = fittingCalls()
    // One that was allowed may run on beside another that looks the same.
    const call = fitting.find((fits) => !asks.isOver(fits)) ?? fitting[0]
    return conversation.waiting().find(({ toolUseId }) => toolUseId === call?.toolUseId)
  }

  function isElsewhere(): boolean {
    return vendorSessionId !== undefined && options.hasHooks(vendorSessionId)
  }

  function look() {
    const call = shownCall()
    if (call && conversation.certainty !== 'sure') conversation.compared(true)
    if (shown?.toolUseId !== call?.toolUseId) shown = call && { toolUseId: call.toolUseId, since: clock.now() }
    cancelLook()
    if (call && shown && !isElsewhere()) {
      if (options.hooks.leavesToScreen(call, shown.since)) asks.raise(call)
      // Nothing changes on the screen when a hook lets go.
      else if (!signal.aborted) cancelLook = clock.after(LOOK_AGAIN_MS, look)
    }
    noteUnread(call === undefined ? dialog : undefined)
  }

  /** It may be in another file, or of a kind that we do not know: then it is said that somebody is waited for. */
  function noteUnread(shown: ScreenDialog | undefined) {
    const text = shown?.lines.join('\n') ?? ''
    if (text === unread?.text) return
    unread?.cancel()
    unread = undefined
    options.onUnread(false)
    if (text === '' || signal.aborted) return
    const cancel = clock.after(UNREAD_MS, () => void tellUnread(text))
    unread = { text, cancel }
  }

  async function tellUnread(text: string) {
    const isUnread = () => !signal.aborted && (dialog?.lines.join('\n') ?? '') === text && !shownCall()
    if (text === told || isElsewhere() || options.hooks.isHolding()) return
    // Hooks say which file it is: then there is nothing to guess.
    const hasMoved = !options.hooks.isHeard() && (await conversation.lookForNewer())
    if (!isUnread()) return
    // It may be in that one: its calls count as waiting a moment from now.
    if (hasMoved) {
      unread = undefined
      return noteUnread(dialog)
    }
    told = text
    conversation.compared(false)
    const what = 'Claude Code waits in its terminal, for something that could not be read from here. Answer it there.'
    void commit([{ type: 'item', item: { type: 'notice', level: 'info', text: what } }])
    options.onUnread(true)
  }

  /** A new conversation in the same process is in a new file. */
  function noteClear(lines: readonly string[]) {
    const last = lines.findLast((line, index) => SAID.test(line) && !lines[index - 1]?.startsWith('──'))
    const isShown = last !== undefined && CLEAR.test(last)
    if (isShown && !showsClear && !options.hooks.isHeard()) void conversation.cleared()
    showsClear = isShown
  }

  signal.addEventListener('abort', () => cancelLook(), { once: true })

  return {
    get certainty() {
      return conversation.certainty
    },
    get isAtRest() {
      return conversation.isAtRest
    },
    isAsked: asks.has,
    readNow: conversation.readNow,
    screen(lines) {
      dialog = readDialog(lines)
      asks.screenChanged()
      look()
      noteClear(lines)
    },
    moveTo: conversation.moveTo,
    async recheck(ask, answer) {
      return untypeable(ask, answer) ?? (await asks.recheck(ask))
    },
    async dialogOf({ toolUseId, tool }) {
      await conversation.readNow()
      const fitting = fittingCalls()
      const isIts = fitting.some((call) => call.toolUseId === toolUseId)
      // Not written down yet, or cut short on the screen: then nothing says that it is another one's.
      if (isIts || fitting.length === 0) return dialog
      return dialog && tool && showsCall(dialog, tool, conversation.cwd) ? dialog : 'other'
    },
    get closed() {
      return conversation.closed
    },
  }
}
