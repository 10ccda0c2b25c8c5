import type { HostedConversation } from '@holdpoint/agents/claude/screen/hosted-claude'
import { readDialog } from '@holdpoint/agents/claude/screen/screen-dialog'
import { whyNotTyped } from '@holdpoint/agents/claude/screen/why-not-typed'
import { createTerminals } from '@holdpoint/agents/hosted/terminals'
import type { Terminal } from '@holdpoint/agents/terminal/terminal'
import type { AgentDriver } from '@holdpoint/core/driver'
import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { SessionId } from '@holdpoint/schema/id'
import { createSyntheticDriver } from './synthetic-driver.ts'

/** A conversation that is found whenever somebody asks. */
const FOUND: HostedConversation = {
  state: 'unknown',
  subscribe: () => () => {},
  find: async () => ({ vendorSessionId: 'found' }),
}

/** Terminals without a program: what is typed into them is kept, and their screen says so. */
export function createSyntheticTerminals() {
  const hosted = createTerminals()
  const agents = createSyntheticDriver(TERMINAL_AGENT)
  const typed = new Map<SessionId, string[]>()
  const screens = new Map<SessionId, readonly string[]>()

  const driver: AgentDriver = {
    agent: TERMINAL_AGENT,
    async start(start) {
      const run = await agents.driver.start(start)
      open(start.sessionId)
      return run
    },
  }

  /** Gives a session a terminal. */
  function open(id: SessionId) {
    const keys: string[] = []
    const screen = () => screens.get(id) ?? []
    typed.set(id, keys)
    hosted.set(id, {
      terminal: typedTerminal(keys, screen),
      conversation: FOUND,
      dialogOf: async () => readDialog(screen()),
    })
  }

  return {
    hosted,
    driver,
    open,
    /** Puts these lines on its screen. */
    show: (id: SessionId, lines: readonly string[]) => void screens.set(id, lines),
    typed: (id: SessionId) => typed.get(id)?.join('') ?? '',
  }
}

function typedTerminal(keys: string[], screen: () => readonly string[]): Terminal {
  const type = (data: string) => {
    keys.push(data)
    return true
  }
  return {
    view(viewer, { cols, rows, mayType }) {
      viewer.onScreen({ cols, rows, data: 'a synthetic terminal' })
      return { input: (data) => mayType && type(data), resize() {}, close() {} }
    },
    typeIfFree: async (_, data) => {
      const quietMs = Number.POSITIVE_INFINITY
      const why = whyNotTyped(data, { screen: screen(), isClaude: false, quietMs })
      if (!why) type(data)
      return why ?? 'typed'
    },
    press: type,
    typeIf: async (data) => (type(data) ? 'typed' : 'refused'),
    idleMs: Number.POSITIVE_INFINITY,
    watch() {},
    exited: new Promise(() => {}),
    lastScreen: undefined,
  }
}
