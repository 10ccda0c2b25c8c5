import type { WithdrawReason } from '@holdpoint/schema/outcome'
import { PROGRAM_AGENT } from './program-agent.ts'
import { TERMINAL_AGENT } from './terminal-agent.ts'

const WHY: Readonly<Record<WithdrawReason, string>> = {
  'agent-cancelled': 'the agent cancelled it',
  interrupted: 'the agent was interrupted',
  'session-ended': 'the session ended',
  'answered-elsewhere': 'it was answered directly at the agent',
  orphaned: 'the agent that asked is gone',
  changed: 'what it showed has changed, so the agent asked again',
}

/** Agents that also ask in their own terminal. Of those, we only know that nothing waits for an answer here. */
const AT_TERMINALS: ReadonlySet<string | undefined> = new Set(['attached', TERMINAL_AGENT])

/** Why an ask of this agent was withdrawn; undefined for a reason that this version does not know. */
export function withdrawnWords(reason: string, agent: string | undefined): string | undefined {
  if (reason === 'agent-cancelled' && agent === PROGRAM_AGENT) return 'the program that asked took it back'
  if (reason === 'agent-cancelled' && AT_TERMINALS.has(agent))
    return 'it is no longer open in Holdpoint, but its terminal may still ask'
  return Object.hasOwn(WHY, reason) ? WHY[reason as WithdrawReason] : undefined
}
