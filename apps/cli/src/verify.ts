import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainFault, type ChainReport, StoreFault } from '@holdpoint/core/store'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import { dataFolder } from './data-folder.ts'
import { type DatabaseFlags, databaseAddress, databaseOptions } from './database-address.ts'

export function verifyCommand(): Command {
  const command = new Command('verify').description(
    'Check that nothing in the record was changed, removed or added. Of a data folder, the gateway must be stopped; of a database, gateways may run.',
  )
  return databaseOptions(command, 'PostgreSQL database with the record, instead of a data folder')
    .option('--data <folder>', 'data folder with the record (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--accept', 'end the sessions whose record is damaged, so that the gateway can start with the others')
    .addHelpText(
      'after',
      `
Prints the head of the hash chain, unless the chain is broken. Keep the head in another place: a later check of the same
events prints the same head.
The gateway does not start while the record of a running session does not match its hash chain. --accept ends such a
session permanently and notes that in its record. A damaged session can be neither shown nor resumed. Nothing is repaired.

Environment:
  HOLDPOINT_DATABASE   same as --database, unless --data is given, and may have the password

Examples:
  holdpoint stop && holdpoint verify; holdpoint start
  holdpoint verify --database postgres://holdpoint@db.example:5432/holdpoint`,
    )
    .action(verify)
}

interface Flags extends DatabaseFlags {
  readonly data?: string
  readonly accept?: boolean
}

async function verify(flags: Flags): Promise<void> {
  if (flags.data !== undefined && (flags.database ?? flags.databaseFile) !== undefined) {
    throw new CliError('Name a data folder or a database, not both.', EXIT.usage)
  }
  const address = flags.data === undefined ? databaseAddress(flags) : undefined
  if (!address) return verifyFolder(flags)
  if (flags.accept) {
    throw new CliError('--accept is for data folders. Restore a damaged database from a backup.', EXIT.usage)
  }
  const { verifyDatabase } = await import('@holdpoint/store/postgres/verify-database')
  tell(await verifyDatabase(address))
}

async function verifyFolder(flags: Flags): Promise<void> {
  const folder = dataFolder(flags.data)
  const path = join(folder, 'holdpoint.db')
  // Before the lock: taking it would create the folder, and opening the store would create the file.
  if (!existsSync(path)) throw new CliError(`There is no record in ${folder}. Name its folder with --data.`)
  // Held until the end: a gateway that started in between would write while we read.
  const lock = await lockDataFolder(folder).catch((error: unknown) => {
    if (!(error instanceof StoreFault) || error.code !== 'locked') throw error
    throw new CliError(
      `A gateway is running on ${folder} and has locked the record. Stop it with "holdpoint stop", verify, and start it again. Agents keep running meanwhile, and their asks wait.`,
      EXIT.locked,
    )
  })
  try {
    if (flags.accept) await accept(path)
    const { openSqliteStore } = await import('@holdpoint/store/sqlite-store')
    const store = await openSqliteStore({ path })
    try {
      tell(await store.verify())
    } finally {
      await store.close()
    }
  } finally {
    await lock.release()
  }
}

function tell({ events, sessions, head, fault, accepted, unrecorded = [] }: ChainReport): void {
  console.log(`events    ${events}\nsessions  ${sessions}${head === undefined ? '' : `\nhead      ${head}`}`)
  if (fault) throw new CliError(faultWords(fault))
  const damaged = accepted === 1 ? 'one damaged session that was' : `${accepted} damaged sessions that were`
  console.error(`The record is intact${accepted ? `, except for ${damaged} accepted before and not checked` : ''}.`)
  for (const file of unrecorded) {
    console.error(
      `${file} ends with a copy of a session that was cut off while it was written. Nothing reads it there.`,
    )
  }
}

async function accept(path: string): Promise<void> {
  const { acceptDamage } = await import('@holdpoint/store/accept-damage')
  for (const fault of await acceptDamage({ path, now: Date.now })) {
    console.error(`Accepted: ${placeWords(fault)} The session has ended: it can be neither shown nor resumed.`)
  }
}

function placeWords(fault: ChainFault): string {
  const session = fault.sessionId === '' ? 'not known' : terminalText(fault.sessionId)
  return `Session: ${session}. Row: seq ${fault.seq}, number ${fault.sessionSeq} of the session. What is wrong: ${terminalText(fault.problem)}.`
}

function faultWords(fault: ChainFault): string {
  return `The record is NOT intact. ${placeWords(fault)}
Keep it as it is, and compare it with a backup.`
}
