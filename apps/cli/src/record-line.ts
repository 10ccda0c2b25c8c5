import { terminalText } from './terminal-text.ts'

/** What `GET /api/status` says of the record. */
export interface RecordState {
  readonly state: 'not-checked' | 'checking' | 'events-match' | 'damaged' | 'failed'
  readonly problem?: string
  /** Damaged sessions that were accepted as such. */
  readonly accepted?: number
  /** It was older, at the start, than the one that was last used in the folder. */
  readonly older?: true
}

export function recordLine({ state, problem, accepted = 0, older }: RecordState): string {
  const damaged = accepted === 1 ? 'one damaged session was accepted' : `${accepted} damaged sessions were accepted`
  const whole =
    accepted === 0 ? 'every event is as written' : `${damaged} as such; every event of the others is as written`
  const words = {
    'not-checked': 'sessions that go on are as written; the rest is checked in a moment',
    checking: 'sessions that go on are as written; the rest is being checked',
    'events-match': `${whole} (the file itself: "holdpoint verify", with the gateway stopped)`,
    damaged: `CHANGED OR DAMAGED: ${terminalText(problem ?? '')}. Stop the gateway and run "holdpoint verify"`,
    failed: `could not be checked: ${terminalText(problem ?? '')}`,
  }
  const wasOlder = older
    ? 'OLDER than the one last used here, when the gateway started: remembered rules have ended; look for devices that you had revoked. '
    : ''
  return `Record    ${wasOlder}${words[state]}`
}
