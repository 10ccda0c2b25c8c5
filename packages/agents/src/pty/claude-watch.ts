import { join } from 'node:path'
import type { Clock } from '@holdpoint/core/clock'
import type { AgentEvent, DriverStart } from '@holdpoint/core/driver'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { InteractiveTools } from '../claude/interactive-tools.ts'
import type { OpenCall } from '../transcript/open-calls.ts'
import { projectsDir } from '../transcript/project-folder.ts'
import { followConversation } from './conversation.ts'
import { untypeable } from './dialog-keys.ts'
import { showsCall } from './dialog-match.ts'
import { createScreenAsks, requestIdOf } from './screen-asks.ts'
import { readDialog, type ScreenDialog } from './screen-dialog.ts'
import type { Terminal } from './terminal.ts'

export interface ClaudeWatchOptions {
  readonly start: DriverStart
  readonly terminal: Terminal
  readonly tools: InteractiveTools
  readonly clock: Clock
  readonly projects: string | undefined
  readonly vendorSessionId: string | undefined
  readonly hasHooks: (vendorSessionId: string) => boolean
  readonly commit: (events: readonly AgentEvent[], checkpoint?: number) => Promise<void>
  readonly warn: (message: string, details?: Record<string, unknown>) => void
  readonly signal: AbortSignal
}

/** A dialog that stays on the screen for so long and fits no call is for a person at the terminal. */
const UNREAD_MS = 4000

/**
 * Claude Code in a hosted terminal, without hooks: its transcript says which calls wait, its screen which of them a
 * person is asked about. Only where both say the same is there an ask.
 */
export function watchClaude(options: ClaudeWatchOptions) {
  const { start, terminal, clock, signal, commit, warn } = options
  const { cwd } = start
  let vendorSessionId = options.vendorSessionId
  let dialog: ScreenDialog | undefined
  let unread: { readonly text: string; readonly cancel: () => void } | undefined
  let told = ''

  const conversation = followConversation({
    cwd,
    projects: options.projects,
    vendorSessionId,
    from: start.attach ? start.attach.checkpoint : start.resume === undefined ? 0 : 'end',
    clock,
    signal,
    ...(start.attach && {
      onTakenUp: (open: readonly OpenCall[]) => start.reattached({ open: open.map(requestIdOf), answered: [] }),
    }),
    onIdentified(id) {
      vendorSessionId = id
      void commit([{ type: 'identified', vendorSessionId: id }])
    },
    onItems: (items, offset) =>
      commit(
        items.map((item) => ({ type: 'item', item })),
        offset,
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
    dialog: () => dialog,
    plansFolder: join(options.projects ?? projectsDir(), '..', 'plans'),
    notice: (level, text) => void commit([{ type: 'item', item: { type: 'notice', level, text } }]),
    warn,
    signal,
  })
  terminal.watch((lines) => {
    dialog = readDialog(lines)
    asks.screenChanged()
    look()
  }, signal)

  /** Which call the dialog on the screen is about, if it is one that waits. */
  function shownCall(): OpenCall | undefined {
    const shown = dialog
    return shown && conversation.waiting().find((call) => showsCall(shown, call, cwd))
  }

  function look() {
    const call = shownCall()
    if (call && !(vendorSessionId !== undefined && options.hasHooks(vendorSessionId))) asks.raise(call)
    noteUnread(call === undefined ? dialog : undefined)
  }

  /** It may be in another file, or of a kind that we do not know: then it is said that somebody is waited for. */
  function noteUnread(shown: ScreenDialog | undefined) {
    const text = shown?.lines.join('\n') ?? ''
    if (text === unread?.text) return
    unread?.cancel()
    unread = undefined
    if (text === '' || signal.aborted) return
    const cancel = clock.after(UNREAD_MS, () => {
      void conversation.lookForNewer().then(() => {
        if (signal.aborted || text === told || (dialog?.lines.join('\n') ?? '') !== text || shownCall()) return
        if (vendorSessionId !== undefined && options.hasHooks(vendorSessionId)) return
        told = text
        const what =
          'Claude Code waits in its terminal, for something that could not be read from here. Answer it there.'
        void commit([{ type: 'item', item: { type: 'notice', level: 'info', text: what } }])
      })
    })
    unread = { text, cancel }
  }

  return {
    async recheck(ask: Ask, answer: Answer): Promise<string | undefined> {
      return untypeable(ask, answer) ?? (await asks.recheck(ask))
    },
    get closed() {
      return conversation.closed
    },
  }
}
