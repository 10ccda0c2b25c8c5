import type { AgentEvent } from '@holdpoint/core/driver'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { ConversationState } from '@holdpoint/schema/terminal-stream'
import type { SoughtCall } from '../attached/call-book.ts'
import { type ClaudeWatch, type ClaudeWatchOptions, watchClaude } from './claude-watch.ts'
import { findByMarker, type MarkerRefusal } from './find-by-marker.ts'
import { askingText, mayAsk } from './may-ask.ts'
import { readPromptBox } from './prompt-box.ts'
import { readDialog, type ScreenDialog } from './screen-dialog.ts'

export type FindResult =
  | { readonly vendorSessionId: string }
  | { readonly vendorSessionId: undefined }
  | { readonly refusal: MarkerRefusal | 'searching' }

export interface HostedConversation {
  readonly state: ConversationState
  /** Returns how to end it. */
  subscribe(listener: () => void): () => void
  /** Types a message with this marker, for whoever has said yes to that, and follows the file that it is found in. */
  find(options: { readonly marker: string; readonly signal: AbortSignal }): Promise<FindResult>
}

export interface HostedClaude extends HostedConversation {
  /** Hooks have said in which file it is. */
  moveTo(file: Parameters<ClaudeWatch['moveTo']>[0]): void
  isAsked(call: SoughtCall): boolean
  /** Reads what the conversation holds by now. */
  readNow(): Promise<void>
  recheck(ask: Ask, answer: Answer): Promise<string | undefined>
  /** The dialog on the screen that is this ask's; `other` where it is about another call. Undefined where none can be read. */
  dialogOf(ask: Ask): Promise<ScreenDialog | 'other' | undefined>
  readonly closed: Promise<void>
}

export interface HostedClaudeOptions
  extends Omit<ClaudeWatchOptions, 'from' | 'isTakenUp' | 'onCertainty' | 'onRead' | 'onUnread'> {
  /** Claude Code is what was started in the terminal; else a shell is, or something else that may start it. */
  readonly isProgram: boolean
}

/** A dialog that stays for so long, of a conversation that nobody here knows, is for a person at the terminal. */
const UNKNOWN_MS = 4000
const UNKNOWN =
  'Claude Code in this terminal may be waiting for an answer. Holdpoint does not know its conversation, so it cannot show the question. Answer it in the terminal. To see questions in Holdpoint, use “Find it…” in the bar of the terminal, or run “holdpoint attach” once.'

/** Claude Code in a hosted terminal, whether it is the program there or was started by it. */
export function createHostedClaude(options: HostedClaudeOptions): HostedClaude {
  const { start, terminal, clock, signal, projects } = options
  const listeners = new Set<() => void>()
  let lines: readonly string[] = []
  let isSeen = false
  let isSearching = false
  let told: ConversationState = 'none'
  let isWorking = true
  let mayWait: boolean | undefined
  /** The dialog of a conversation that is not known, and how to forget about it. */
  let standing = { text: '', cancel: () => {} }
  // Started by a shell, it is known only to a gateway that comes after the one that found it.
  const known = options.isProgram ? options.vendorSessionId : start.attach && start.resume
  const before = start.resume === undefined ? 'recent' : 'end'
  // Declared before it is there: it tells how sure it is while it is being made.
  let watch: ClaudeWatch | undefined
  if (options.isProgram || known !== undefined)
    watch = watched(known, { from: start.attach?.checkpoint ?? before, isTakenUp: start.attach !== undefined })

  terminal.watch((now) => {
    lines = now
    // Its dialogs take the place of its prompt.
    isSeen = readPromptBox(now) !== undefined || readDialog(now) !== undefined || (isSeen && mayAsk(now))
    watch?.screen(now)
    tell()
    noteTurn()
    noteUnknown()
  }, signal)
  signal.addEventListener('abort', () => standing.cancel(), { once: true })

  /** Its turn is over when the prompt is there and nothing is at work, and its last words are on record. */
  function noteTurn() {
    const box = readPromptBox(lines)
    const isDone = box !== undefined && !box.isWorking && watch?.isAtRest !== false
    const isBusy = box?.isWorking || mayAsk(lines) || watch?.isAtRest === false
    // A shell that it has left goes on as any other program. What is in between changes nothing.
    const hasLeft = !isSeen && !options.isProgram
    const now = isDone ? false : isBusy || hasLeft || isWorking
    if (now === isWorking || signal.aborted) return
    isWorking = now
    void options.commit([{ type: now ? 'turn-started' : 'turn-ended' }])
  }

  /** Of a conversation that is not known nothing can be asked: then it is said that somebody may be waited for. */
  function noteUnknown() {
    if (watch || signal.aborted) return standing.cancel()
    const text = isSeen ? askingText(lines) : ''
    if (text === '') noteMayWait(false)
    if (text === standing.text) return
    standing.cancel()
    const cancel = text === '' ? () => {} : options.clock.after(UNKNOWN_MS, tellUnknown)
    standing = { text, cancel }
  }

  function tellUnknown() {
    if (watch || signal.aborted) return
    void options.commit([{ type: 'item', item: { type: 'notice', level: 'info', text: UNKNOWN } }])
    noteMayWait(true)
  }

  function noteMayWait(now: boolean) {
    if (mayWait === now || signal.aborted) return
    mayWait = now
    void options.commit([{ type: 'may-wait', mayWait: now }])
  }

  function watched(vendorSessionId: string | undefined, where: Pick<ClaudeWatchOptions, 'from' | 'isTakenUp'>) {
    return watchClaude({
      ...options,
      ...where,
      vendorSessionId,
      onCertainty: () => tell(),
      onRead: () => noteTurn(),
      onUnread: noteMayWait,
    })
  }

  function state(): ConversationState {
    switch (watch?.certainty) {
      case 'sure':
        return 'known'
      case 'guessed':
        return 'guessed'
      // Its file is there as soon as somebody says something.
      case 'looking':
        return 'none'
      case 'doubted':
      case undefined:
        return isSeen ? 'unknown' : 'none'
    }
  }

  function tell() {
    const now = state()
    if (now === told) return
    told = now
    for (const listener of [...listeners]) listener()
  }

  async function find({ marker, signal: gone }: Parameters<HostedConversation['find']>[0]): Promise<FindResult> {
    if (isSearching) return { refusal: 'searching' }
    isSearching = true
    try {
      const either = AbortSignal.any([signal, gone])
      const result = await findByMarker({ terminal, screen: () => lines, projects, marker, clock, signal: either })
      if ('refusal' in result) return result
      const { found } = result
      if (!found) return { vendorSessionId: undefined }
      if (watch) watch.moveTo(found)
      else {
        const identified: AgentEvent = { type: 'identified', vendorSessionId: found.sessionId }
        await options.commit([identified])
        watch = watched(found.sessionId, { from: 'recent', isTakenUp: false })
        watch.screen(lines)
      }
      tell()
      return { vendorSessionId: found.sessionId }
    } finally {
      isSearching = false
    }
  }

  return {
    get state() {
      return state()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    find,
    moveTo(file) {
      if (signal.aborted) return
      watch ??= watched(undefined, { from: 'recent', isTakenUp: false })
      watch.moveTo(file)
      watch.screen(lines)
      tell()
    },
    isAsked: (call) => watch?.isAsked(call) === true,
    readNow: async () => watch?.readNow(),
    recheck: async (ask, answer) => watch?.recheck(ask, answer),
    dialogOf: async (ask) => watch?.dialogOf(ask),
    get closed() {
      return watch?.closed ?? Promise.resolve()
    },
  }
}
