import type { RecordState } from '@holdpoint/schema/endpoints/system'
import { terminalText } from './console/terminal-text.ts'

/** What `GET /api/status` says of the record, in a line. */
export function recordLine({ state, problem, accepted = 0, older }: RecordState): string {
  const damaged = accepted === 1 ? 'one damaged session was accepted' : `${accepted} damaged sessions were accepted`
  const intact = accepted === 0 ? 'all events are unchanged' : `${damaged}; all events of the others are unchanged`
  const words = {
    'not-checked': 'running sessions are unchanged; the others will be checked soon',
    checking: 'running sessions are unchanged; the others are being checked',
    'events-match': `${intact} (to check the file itself, stop the gateway and run "holdpoint verify")`,
    damaged: `CHANGED OR DAMAGED: ${terminalText(problem ?? '')}. Stop the gateway and run "holdpoint verify"`,
    failed: `could not be checked: ${terminalText(problem ?? '')}`,
  }
  const wasOlder = older
    ? 'OLDER than the one last used with this data folder, when the gateway started. Remembered rules have ended. Check the list of devices for devices that you had revoked. Apart from that: '
    : ''
  return `Record    ${wasOlder}${words[state]}`
}
