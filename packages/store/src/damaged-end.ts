import type { ChainFault } from '@holdpoint/core/store'
import type { SessionError } from '@holdpoint/schema/session'

/** How a session ended that was found damaged, whatever it had ended with before. */
export function damagedEnd({ seq, problem }: ChainFault): { endReason: string; error: SessionError } {
  const message = `The record of this session was changed or damaged, at event ${seq}: ${problem}. It cannot be shown or resumed.`
  return { endReason: 'record-damaged', error: { code: 'record-damaged', message } }
}
