import { isArchived } from '@holdpoint/core/archiving'
import { Command } from 'commander'
import { terminalJson } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { allSessions, runningSessions } from './list-sessions.ts'
import { machinesOf } from './session-machines.ts'
import { sessionTable } from './session-table.ts'
import { deleteCommand } from './sessions-delete.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly all?: boolean
  readonly search?: string
  readonly archived?: boolean
  readonly json?: boolean
}

export function sessionsCommand(): Command {
  return addressOptions(new Command('sessions').enablePositionalOptions())
    .addCommand(deleteCommand())
    .description('List the sessions: state, agent, open asks, folder and title.')
    .option('--all', 'include ended and archived sessions')
    .option('--search <words>', 'those with all these words in title, folder or agent, ended ones too')
    .option('--archived', 'those that were archived')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
STATE, and for how long:
  needs answer     it has open asks; ASKS is their number
  may need answer  its own terminal shows a dialog that Holdpoint cannot show
  idle             it waits for your next message
  frozen           what ran was not what was allowed; nothing more is allowed in it
AGENT "terminal" runs in a Holdpoint terminal; "holdpoint run --session ID" shows it again.
AGENT "attached" runs in a terminal of your own.
AGENT "program" is no agent: a script ("holdpoint ask") or a client of MCP ("holdpoint mcp") that asks.

Examples:
  holdpoint sessions
  holdpoint sessions --search "payments retry"
  holdpoint sessions --all --json
  holdpoint sessions delete 3k2j1h`,
    )
    .action(sessions)
}

async function sessions(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    const { search, archived } = flags
    const isNarrowed = search !== undefined || archived === true
    const known =
      flags.all || isNarrowed
        ? await allSessions(api, { ...(search !== undefined && { search }), ...(archived && { archived: 'true' }) })
        : (await runningSessions(api)).filter((session) => !isArchived(session))
    if (flags.json) return console.log(terminalJson({ sessions: known }, 2))
    if (known.length > 0) {
      const machines = await machinesOf(api, known)
      const { columns } = process.stdout
      return console.log(sessionTable(known, { now: Date.now(), ...(machines && { machines }), columns }).join('\n'))
    }
    console.error(
      isNarrowed
        ? 'No session matches.'
        : flags.all
          ? 'There are no sessions.'
          : 'No session is running. "holdpoint sessions --all" also lists ended ones.',
    )
  })
}
