import { hostname } from 'node:os'
import type { PostgresAddress } from '@holdpoint/store/postgres/address'
import { addressName } from '@holdpoint/store/postgres/address'
import { Command } from 'commander'
import { CliError, EXIT } from './console/cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { addressOnCommandLine, databaseAddress } from './database-address.ts'

interface Flags {
  readonly from?: string
  readonly to?: string
  readonly databaseFile?: string
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Move the record of a data folder into a PostgreSQL database, or back. All gateways must be stopped.')
    .option('--from <place>', 'where the record is: a data folder, or a database as postgres://user@host:5432/name')
    .option('--to <place>', 'where it is to go: the other one of the two')
    .option('--database-file <file>', 'file with the address of the database, which may have the password')
    .addHelpText(
      'after',
      `
Every event keeps its place and its hash: the head that is printed is the one that "holdpoint verify" prints for both. The
record is checked before and after. What was cut off goes on when the command is run again, and no gateway starts on a part.
The old record stays where it was, as a backup, and no gateway uses it any more. Agents keep running, and their asks wait.

Environment:
  HOLDPOINT_DATABASE   the database, if only the data folder is named; may have the password

Examples:
  holdpoint migrate --from ~/.holdpoint --to postgres://holdpoint@db.example:5432/holdpoint
  holdpoint migrate --from postgres://holdpoint@db.example:5432/holdpoint --to ~/.holdpoint`,
    )
    .action(migrate)
}

async function migrate(flags: Flags): Promise<void> {
  const { folder, address, to } = places(flags)
  const [source, target] = [folder, addressName(address)]
  const [from, goal] = to === 'database' ? [source, target] : [target, source]
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  console.error(`Checking the record in ${from}.`)
  const { moveLog } = await import('@holdpoint/server/move-log')
  try {
    const head = await moveLog({
      dataDir: folder,
      database: { address, machineName: hostname() },
      to,
      onProgress: progress(),
      signal: stop.signal,
    })
    console.log(`head      ${head}`)
    console.error(
      `The record is in ${goal}, whole and checked. Start the gateway ${to === 'database' ? 'with' : 'without'} --database.`,
    )
  } catch (error) {
    if (!stop.signal.aborted) throw error
    throw new CliError('Stopped. Nothing is lost: run the same command again, and it goes on.', EXIT.interrupted)
  }
}

function places({ from, to, databaseFile }: Flags): {
  folder: string
  address: PostgresAddress
  to: 'database' | 'folder'
} {
  const isUrl = (place: string | undefined) => place !== undefined && /^postgres(ql)?:/i.test(place)
  const folders = [from, to].filter((place) => place !== undefined && !isUrl(place))
  const urls = [from, to].filter(isUrl)
  const [folder] = folders
  if (folders.length !== 1 || folder === undefined || urls.length > 1) {
    throw new CliError('Name one data folder and one database with --from and --to.', EXIT.usage)
  }
  const [url] = urls
  if (url !== undefined && databaseFile !== undefined) {
    throw new CliError('Give an address or --database-file, not both.', EXIT.usage)
  }
  const address =
    url === undefined
      ? databaseAddress({ ...(databaseFile !== undefined && { databaseFile }) })
      : addressOnCommandLine(url)
  if (!address)
    throw new CliError('Name the database: in --from or --to, in --database-file or in HOLDPOINT_DATABASE.', EXIT.usage)
  return { folder: dataFolder(folder), address, to: from === folder ? 'database' : 'folder' }
}

/** Ten lines at most. */
function progress() {
  let tenths = 0
  return ({ events, of }: { readonly events: number; readonly of: number }) => {
    const now = Math.floor((events / of) * 10)
    if (now === tenths) return
    tenths = now
    console.error(`${events} of ${of} events are copied.`)
    if (events === of) console.error('Checking the copy.')
  }
}
