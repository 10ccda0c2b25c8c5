import { Command } from 'commander'
import type { AddressFlags } from './gateway-address.ts'
import { allSessions, runningSessions } from './list-sessions.ts'
import { sessionTable } from './session-table.ts'
import { terminalJson } from './terminal-text.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly all?: boolean
  readonly json?: boolean
}

export function sessionsCommand(): Command {
  return addressOptions(new Command('sessions'))
    .description('List the sessions: what each is doing, where, and how many asks of it are open.')
    .option('--all', 'those that have ended, too')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
STATE says what a session does and for how long; "waiting" is for your next message, and open asks are counted under
ASKS. The agent "terminal" is one that "holdpoint run" has started, and "holdpoint run --session ID" shows it again;
"attached" runs in a terminal of yours.

Examples:
  holdpoint sessions
  holdpoint sessions --all --json`,
    )
    .action(sessions)
}

async function sessions(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    const known = flags.all ? await allSessions(api) : await runningSessions(api)
    if (flags.json) return console.log(terminalJson({ sessions: known }, 2))
    if (known.length > 0)
      return console.log(sessionTable(known, { now: Date.now(), columns: process.stdout.columns }).join('\n'))
    console.error(
      flags.all ? 'There are no sessions.' : 'No session runs. "holdpoint sessions --all" lists those that ended.',
    )
  })
}
