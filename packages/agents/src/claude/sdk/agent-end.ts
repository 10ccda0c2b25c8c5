import type { AgentEnd } from '@holdpoint/core/driver'
import type { AgentExit } from '../../host/wire/host-message.ts'

const STDERR_SHOWN = 600

/** How the agent went, in words that say what to do. */
export function endOf(exit: AgentExit): AgentEnd {
  if (exit.problem === 'host-gone') {
    return {
      reason: 'host-gone',
      error: {
        code: 'host-gone',
        message:
          'The host process of the agent has ended. The agent may still run for a moment, but nobody can answer it, and it is being ended. Resume the session to continue.',
      },
    }
  }
  const how = exit.problem ?? (exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code}`)
  const words = exit.stderrTail.trim().slice(-STDERR_SHOWN)
  const message = `Claude Code ended by itself (${how}).${words ? ` Its last output: ${words}` : ''} Resume the session to continue.`
  return { reason: 'agent-exited', error: { code: 'agent-exited', message } }
}
