import { dirname, join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { LogFunction } from '@holdpoint/schema/log-event'
import type { Terminal } from '../../terminal/terminal.ts'
import type { InteractiveTools } from '../asks/interactive-tools.ts'
import type { SoughtCall } from '../attached/call-book.ts'
import type { MayOthersAnswer } from '../attached/gated-calls.ts'
import { isSameInput } from '../attached/same-input.ts'
import type { TerminalHooks } from '../attached/terminal-hooks.ts'
import type { OpenCall } from '../transcript/open-calls.ts'
import type { SessionFile } from '../transcript/session-files.ts'
import { type Certainty, type ConversationOptions, followConversation } from './conversation.ts'
import { untypeable } from './dialog-keys.ts'
import { isOneCall, possibleCalls, shownCalls } from './dialog-match.ts'
import { askingText } from './may-ask.ts'
import { createScreenAsks, requestIdOf } from './screen-asks.ts'
import { readDialog, type ScreenDialog } from './screen-dialog.ts'

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
  /** Whether the user's settings could want a person for a call each time. Left out: they could. */
  readonly mayWantPerson?: MayOthersAnswer
  readonly commit: (events: readonly AgentEvent[], checkpoint?: number) => Promise<void>
  readonly warn: LogFunction
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
  isAsked(call: SoughtCall): boolean
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
  /** What asks on the screen, also where it is of a kind that cannot be read: it waits for somebody all the same (I7). */
  let asking = ''
  let unread: { readonly text: string; readonly cancel: () => void } | undefined
  let told = ''
  let showsClear = false
  let shown: { readonly toolUseId: string; readonly since: number } | undefined
  let cancelLook = () => {}
  const leftOpen = new Set(start.attach?.open.map(({ requestId }) => requestId))

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
    onFault: (error) => warn('transcript_not_followed', { error: String(error) }),
  })
  const configFolder = dirname(options.projects)
  const asks = createScreenAsks({
    start,
    terminal,
    tools: options.tools,
    clock,
    conversation,
    dialog: () => (fittingCalls().length > 0 ? dialog : undefined),
    isOnly: ({ toolUseId }) => fittingCalls().every((call) => call.toolUseId === toolUseId),
    onOver: look,
    mayWantPerson: async () => (await options.mayWantPerson?.({ cwd: start.cwd, configFolder })) !== false,
    plansFolder: join(configFolder, 'plans'),
    notice: (level, text) => void commit([{ type: 'item', item: { type: 'notice', level, text } }]),
    warn,
    signal,
  })

  function fittingCalls(): readonly OpenCall[] {
    // The one that it is about may be among those that were forgotten, and another fit it (I2).
    return dialog && !conversation.hasForgotten ? shownCalls(dialog, conversation.open(), conversation.cwd) : []
  }

  /** Those that it may be about. */
  function openCalls(on: ScreenDialog): readonly OpenCall[] {
    return possibleCalls(on, conversation.open(), conversation.cwd)
  }

  /** Which call the dialog on the screen is about, if it is one that waits. */
  function shownCall(): OpenCall | undefined {
    const fitting = fittingCalls()
    // One that was allowed may run on beside another that looks the same.
    const left = fitting.filter((fits) => !asks.isOver(fits))
    // Of several, the one whose ask an earlier gateway has left open was the one on the screen.
    const call = left.find((fits) => leftOpen.has(requestIdOf(fits))) ?? left[0] ?? fitting[0]
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
    noteUnread(call && !asks.isOver(call) ? '' : asking)
  }

  /** It may be in another file, or of a kind that we do not know: then it is said that somebody is waited for. */
  function noteUnread(text: string) {
    if (text === unread?.text) return
    unread?.cancel()
    unread = undefined
    options.onUnread(false)
    if (text === '' || signal.aborted) return
    const cancel = clock.after(UNREAD_MS, () => void tellUnread(text))
    unread = { text, cancel }
  }

  async function tellUnread(text: string) {
    const isUnread = () => {
      const call = shownCall()
      return !signal.aborted && asking === text && (!call || asks.isOver(call))
    }
    const again = () => {
      unread = undefined
      noteUnread(text)
    }
    if (isElsewhere()) return
    // Nothing changes on the screen when a hook lets go.
    if (options.hooks.isHolding()) return again()
    // One that was read may be about a call in another file. Hooks say which one it is: then there is nothing to guess.
    const isElsewhereWritten = dialog !== undefined && openCalls(dialog).length === 0
    const mayBeNewer = isElsewhereWritten && text !== told && !options.hooks.isHeard()
    const hasMoved = mayBeNewer && (await conversation.lookForNewer())
    if (!isUnread()) return
    // It may be in that one: its calls count as waiting a moment from now.
    if (hasMoved) return again()
    if (isElsewhereWritten) conversation.compared(false)
    options.onUnread(true)
    if (text === told) return
    told = text
    const what = 'Claude Code waits in its terminal for something that Holdpoint could not read. Answer it there.'
    void commit([{ type: 'item', item: { type: 'notice', level: 'info', text: what } }])
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
      asking = askingText(lines)
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
      if (!dialog) return undefined
      const { kind } = dialog
      const { cwd } = conversation
      const isNot = tool !== undefined && possibleCalls(dialog, [tool], cwd).length === 0
      const possible = openCalls(dialog)
      // Not written down yet: then only the call itself can say that it is another one's.
      if (isNot || possible.length === 0) return isNot ? 'other' : dialog
      const isIts = (call: OpenCall) =>
        call.toolUseId === toolUseId || (tool && (kind !== 'permission' || isSameInput(tool.input, call.input, cwd)))
      return isOneCall(possible) && possible.some(isIts) ? dialog : 'other'
    },
    get closed() {
      return conversation.closed
    },
  }
}
