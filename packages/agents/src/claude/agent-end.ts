import type { AgentEnd } from '@holdpoint/core/driver'
import type { AgentExit } from '../host/host-message.ts'

const STDERR_SHOWN = 600

/** How the agent went, in words that say what to do. */
export function endOf(exit: AgentExit): AgentEnd {
  if (exit.problem === 'host-gone') {
    return {
      reason: 'host-gone',
      error: {
        code: 'host-gone',
        message:
          'The process that held the agent is gone. The agent itself may still run for a moment: nobody can answer it any more, and it is being ended. Resume the session to go on.',
      },
    }
  }
  const how = exit.problem ?? (exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code}`)
  const words = exit.stderrTail.trim().slice(-STDERR_SHOWN)
  const message = `Claude Code ended by itself (${how}).${words ? ` Its last words: ${words}` : ''} Resume the session to go on.`
  return { reason: 'agent-exited', error: { code: 'agent-exited', message } }
}
