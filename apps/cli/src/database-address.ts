import { readFileSync, statSync } from 'node:fs'
import { StoreFault } from '@holdpoint/core/store'
import { type PostgresAddress, readPostgresUrl } from '@holdpoint/store/postgres/address'
import type { Command } from 'commander'
import { CliError, EXIT } from './console/cli-error.ts'

export interface DatabaseFlags {
  readonly database?: string
  readonly databaseFile?: string
}

const WAYS =
  'Leave the password out of it, and put the whole address into HOLDPOINT_DATABASE or into a file of your own with mode 0600 for --database-file, or the password alone into your password file (~/.pgpass).'

export function databaseOptions(command: Command, what: string): Command {
  return command
    .option('--database <url>', `${what}, as postgres://user@host:5432/name without a password`)
    .option('--database-file <file>', 'file with that address, which may have the password; only you may read it')
}

/** Where the shared log is: from a flag, a file or HOLDPOINT_DATABASE. Undefined where none of them names a database. */
export function databaseAddress({ database, databaseFile }: DatabaseFlags): PostgresAddress | undefined {
  if (database !== undefined && databaseFile !== undefined) {
    throw new CliError('Give --database or --database-file, not both.', EXIT.usage)
  }
  if (database !== undefined) return addressOnCommandLine(database)
  if (databaseFile !== undefined) return checkedAddress(privateText(databaseFile), `${databaseFile}: `)
  const fromEnvironment = process.env.HOLDPOINT_DATABASE
  return fromEnvironment ? checkedAddress(fromEnvironment, 'HOLDPOINT_DATABASE: ') : undefined
}

/** Everybody on the machine sees what is typed there. */
export function addressOnCommandLine(text: string): PostgresAddress {
  const address = checkedAddress(text)
  if (address.password === undefined) return address
  throw new CliError(`Other users of this machine can see a password on the command line. ${WAYS}`, EXIT.usage)
}

/** No message has the text: a password may be in it. `place` begins one: where the text is. */
function checkedAddress(text: string, place = ''): PostgresAddress {
  try {
    return readPostgresUrl(text.trim())
  } catch (error) {
    if (error instanceof StoreFault) throw new CliError(place + error.message, EXIT.usage)
    throw error
  }
}

function privateText(path: string): string {
  try {
    const { uid, mode } = statSync(path)
    if (process.getuid && uid !== process.getuid()) {
      throw new CliError(`${path} belongs to another user, who can change it. Make one of your own.`, EXIT.refused)
    }
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CliError(`Other users can access ${path}. Run: chmod 600 ${path}`, EXIT.refused)
    }
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof CliError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new CliError(
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
      EXIT.usage,
    )
  }
}
