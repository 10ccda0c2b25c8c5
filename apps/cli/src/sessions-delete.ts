import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { findByAbbreviation } from './abbreviation.ts'
import { askYes } from './console/ask-yes.ts'
import { CliError } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { allSessions } from './list-sessions.ts'
import { addressOptions, withApi } from './with-api.ts'

export function deleteCommand(): Command {
  return addressOptions(new Command('delete'))
    .description('Delete for good what was said and asked in a session that has ended.')
    .argument('<session>', 'id of a session, or at least four characters of its beginning or end')
    .option('--yes', 'delete it without asking')
    .addHelpText(
      'after',
      `
Removed: the thread, its asks and answers, files that were sent along, its part of the archive.
Stays: that the session was there, its folder and times, who deleted it, and the hashes of its events, so that the record can
still be verified. Backups, exports and the agent's own transcripts are not touched.

Example:
  holdpoint sessions delete 3k2j1h`,
    )
    .action(remove)
}

async function remove(given: string, flags: AddressFlags & { readonly yes?: boolean }): Promise<void> {
  await withApi(flags, async (api) => {
    const session = findByAbbreviation(await allSessions(api), given)
    if (!session) {
      throw new CliError(`There is no session "${terminalText(given)}". "holdpoint sessions --all" lists them.`)
    }
    const name = `“${terminalText(session.title)}” (${session.id})`
    if (session.state !== 'dead') throw new CliError(`${name} is still running. End it first.`)
    await askYes(`Delete what was said and asked in ${name}? This cannot be undone.`, flags.yes)
    await api.call(paths.sessions.deleteContent, { params: { id: session.id } })
    console.log(`Deleted: ${name}. The hashes of its events stay in the record, with who deleted it.`)
  })
}
