import type { AgentDriver, AgentEnd } from '@holdpoint/core/driver'
import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import type { SessionId } from '@holdpoint/schema/id'
import { callAction } from '../claude/asks/call-action.ts'

/**
 * Speaks for programs that raise asks over the API without a session of an agent: scripts, and clients of MCP. No process
 * of ours is behind it: a session is open until its program leaves, or until nothing was asked in it for long.
 */
export function createProgramDriver() {
  const ends = new Map<SessionId, (end: AgentEnd | 'detached') => void>()

  const driver: AgentDriver = {
    agent: PROGRAM_AGENT,
    attaches: true,
    outlives: true,
    // They may put calls of Claude Code to people: what a rule denies there, it denies here.
    actionOf: callAction,
    async start({ sessionId, emit }) {
      const done = new Promise<AgentEnd | 'detached'>((resolve) => ends.set(sessionId, resolve))
      const end = (how: AgentEnd | 'detached') => {
        ends.get(sessionId)?.(how)
        ends.delete(sessionId)
      }
      // Not waited for: a gateway that closes meanwhile leaves it to the next one.
      emit([{ type: 'ready' }]).catch(() => {})
      return { done, stop: async () => end({ reason: 'stopped' }), detach: async () => end('detached') }
    },
  }

  return {
    driver,
    /** The program has nothing more to ask. */
    left(sessionId: SessionId) {
      ends.get(sessionId)?.({ reason: 'program-ended' })
      ends.delete(sessionId)
    },
  }
}
export type ProgramDriver = ReturnType<typeof createProgramDriver>
