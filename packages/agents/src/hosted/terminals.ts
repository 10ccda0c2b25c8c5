import type { Ask } from '@holdpoint/schema/ask'
import type { SessionId } from '@holdpoint/schema/id'
import type { HostedConversation } from '../claude/screen/hosted-claude.ts'
import type { ScreenDialog } from '../claude/screen/screen-dialog.ts'
import type { TerminalSize } from '../terminal/helper-protocol.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What runs in a hosted terminal. Kept with the session, for a gateway that comes later. */
export interface TerminalProgram extends TerminalSize {
  readonly command: string
  readonly args: readonly string[]
  /** Where Claude Code keeps its transcripts in the program's environment, which itself is not kept. */
  readonly projects?: string
}

export interface RunningTerminal {
  readonly terminal: Terminal
  /** The conversation that Claude Code has in it. Absent where none can be had. */
  readonly conversation?: HostedConversation
  /** The dialog on the screen that is this ask's; `other` where it is about another call. Undefined where none can be read. */
  dialogOf(ask: Ask): Promise<ScreenDialog | 'other' | undefined>
}

/** The terminals of a gateway: who wants to look or type finds them here by their session. */
export interface Terminals {
  get(id: SessionId): RunningTerminal | undefined
  /** Waits for it; undefined when the signal aborts. */
  whenRunning(id: SessionId, signal: AbortSignal): Promise<RunningTerminal | undefined>
  set(id: SessionId, terminal: RunningTerminal): void
  remove(id: SessionId, terminal: RunningTerminal): void
  /** An environment for a program that is about to be started. It may hold secrets: it is never written down. */
  giveEnvironment(id: SessionId, environment: Readonly<Record<string, string>>): void
  takeEnvironment(id: SessionId): Readonly<Record<string, string>> | undefined
}

export function createTerminals(): Terminals {
  const running = new Map<SessionId, RunningTerminal>()
  const environments = new Map<SessionId, Readonly<Record<string, string>>>()
  const waiting = new Set<() => void>()
  return {
    get: (id) => running.get(id),
    whenRunning: (id, signal) =>
      new Promise((resolve) => {
        const look = () => {
          const found = running.get(id)
          if (!found && !signal.aborted) return
          waiting.delete(look)
          signal.removeEventListener('abort', look)
          resolve(found)
        }
        waiting.add(look)
        signal.addEventListener('abort', look, { once: true })
        look()
      }),
    set(id, terminal) {
      running.set(id, terminal)
      for (const look of [...waiting]) look()
    },
    remove(id, terminal) {
      if (running.get(id) === terminal) running.delete(id)
    },
    giveEnvironment: (id, environment) => void environments.set(id, environment),
    takeEnvironment(id) {
      const environment = environments.get(id)
      environments.delete(id)
      return environment
    },
  }
}
