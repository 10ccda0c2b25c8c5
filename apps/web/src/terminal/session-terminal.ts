import { TERMINAL_AGENT } from '@holdpoint/core/terminal-agent'
import type { Session } from '@holdpoint/schema/session'

/** Whether the gateway runs this session's program in a terminal that can be shown. */
export function hasTerminal(session: Pick<Session, 'agent'>): boolean {
  return session.agent === TERMINAL_AGENT
}
