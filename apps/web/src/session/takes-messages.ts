import type { Session } from '@holdpoint/schema/session'
import { hasTerminal } from '../terminal/session-terminal.ts'

/** Whether people can write to its agent: its program may not allow it, and what runs in a terminal takes keys. */
export function takesMessages(session: Session): boolean {
  const isProgramAlone = session.embedded === true && session.takesMessages !== true
  return session.state !== 'dead' && !isProgramAlone && !session.attached && !hasTerminal(session)
}
