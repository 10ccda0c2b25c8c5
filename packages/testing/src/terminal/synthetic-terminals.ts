import type { HostedConversation } from '@holdpoint/agents/pty/hosted-claude'
import type { Terminal } from '@holdpoint/agents/pty/terminal'
import { TERMINAL_AGENT } from '@holdpoint/agents/pty/terminal-driver'
import { createTerminals } from '@holdpoint/agents/pty/terminals'
import type { AgentDriver } from '@holdpoint/core/driver'
import type { SessionId } from '@holdpoint/schema/id'
import { createSyntheticDriver } from '../synthetic-driver.ts'

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
    typed.set(id, keys)
    hosted.set(id, { terminal: typedTerminal(keys), conversation: FOUND, recheck: async () => undefined })
  }

  return { hosted, driver, open, typed: (id: SessionId) => typed.get(id)?.join('') ?? '' }
}

function typedTerminal(keys: string[]): Terminal {
  const type = (data: string) => {
    keys.push(data)
    return true
  }
  return {
    view(viewer, { cols, rows, mayType }) {
      viewer.onScreen({ cols, rows, data: 'a synthetic terminal' })
      return { input: (data) => mayType && type(data), resize() {}, close() {} }
    },
    input: (_, data) => type(data),
    press: type,
    typeIf: async (data) => type(data),
    idleMs: Number.POSITIVE_INFINITY,
    watch() {},
    exited: new Promise(() => {}),
  }
}
