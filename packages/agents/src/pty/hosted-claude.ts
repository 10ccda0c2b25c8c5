import type { AgentEvent } from '@holdpoint/core/driver'
import type { Answer } from '@holdpoint/schema/answer'
import type { Ask } from '@holdpoint/schema/ask'
import type { WantedCall } from '../attached/call-book.ts'
import { type ClaudeWatch, type ClaudeWatchOptions, watchClaude } from './claude-watch.ts'
import { findByMarker, type MarkerRefusal } from './find-by-marker.ts'
import { readPromptBox } from './prompt-box.ts'
import type { RunningTerminal } from './terminals.ts'

/**
 * What is known of Claude Code's conversation in a terminal: `none` where no Claude Code is seen, or it is only about to
 * begin one; `guessed` where it could be another one as well.
 */
export type ConversationState = 'none' | 'unknown' | 'guessed' | 'known'

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
  isAsked(call: WantedCall): boolean
  /** Reads what the conversation holds by now. */
  readNow(): Promise<void>
  recheck(ask: Ask, answer: Answer): Promise<string | undefined>
  dialogOf: RunningTerminal['dialogOf']
  readonly closed: Promise<void>
}

export interface HostedClaudeOptions extends Omit<ClaudeWatchOptions, 'from' | 'isTakenUp' | 'onCertainty'> {
  /** Claude Code is what was started in the terminal; else a shell is, or something else that may start it. */
  readonly isProgram: boolean
}

/** Claude Code in a hosted terminal, whether it is the program there or was started by it. */
export function createHostedClaude(options: HostedClaudeOptions): HostedClaude {
  const { start, terminal, clock, signal, projects } = options
  const listeners = new Set<() => void>()
  let lines: readonly string[] = []
  let isSeen = false
  let isSearching = false
  let told: ConversationState = 'none'
  // Started by a shell, it is known only to a gateway that comes after the one that found it.
  const known = options.isProgram ? options.vendorSessionId : start.attach && start.resume
  const before = start.resume === undefined ? 'recent' : 'end'
  // Declared before it is there: it tells how sure it is while it is being made.
  let watch: ClaudeWatch | undefined
  if (options.isProgram || known !== undefined)
    watch = watched(known, { from: start.attach?.checkpoint ?? before, isTakenUp: start.attach !== undefined })

  terminal.watch((now) => {
    lines = now
    isSeen = readPromptBox(now) !== undefined
    watch?.screen(now)
    tell()
  }, signal)

  function watched(vendorSessionId: string | undefined, where: Pick<ClaudeWatchOptions, 'from' | 'isTakenUp'>) {
    return watchClaude({ ...options, ...where, vendorSessionId, onCertainty: () => tell() })
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
