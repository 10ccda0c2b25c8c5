import type { Session } from '@holdpoint/schema/session'
import { Command } from 'commander'
import type { AddressFlags } from './gateway-address.ts'
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
    const { sessions: known } = await api.call<{ sessions: Session[] }>('GET', '/api/sessions')
    const shown = flags.all ? known : known.filter(({ state }) => state !== 'dead')
    if (flags.json) return console.log(terminalJson({ sessions: shown }, 2))
    const ended = known.length - shown.length
    if (shown.length > 0)
      console.log(sessionTable(shown, { now: Date.now(), columns: process.stdout.columns }).join('\n'))
    else
      console.error(
        ended === 0
          ? 'There are no sessions.'
          : `No session runs. "holdpoint sessions --all" lists ${ended} that ended.`,
      )
  })
}
