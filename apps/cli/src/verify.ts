import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainFault, StoreFault } from '@holdpoint/core/store'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import { dataFolder } from './data-folder.ts'

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that nothing in the record was changed, removed or added. The gateway must be stopped.')
    .option('--data <folder>', 'data folder with the record (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--accept', 'end the sessions whose record is damaged, so that the gateway can start with the others')
    .addHelpText(
      'after',
      `
Prints the head of the hash chain, unless the chain is broken. Keep the head in another place: a later check of the same
events prints the same head.
The gateway does not start while the record of a running session does not match its hash chain. --accept ends such a
session permanently and notes that in its record. A damaged session can be neither shown nor resumed. Nothing is repaired.

Example:
  holdpoint stop && holdpoint verify; holdpoint start`,
    )
    .action(verify)
}

async function verify(flags: { data?: string; accept?: boolean }): Promise<void> {
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
      const report = await store.verify()
      const head = report.head === undefined ? '' : `\nhead      ${report.head}`
      console.log(`events    ${report.events}\nsessions  ${report.sessions}${head}`)
      if (report.fault) throw new CliError(faultWords(report.fault))
      const damaged =
        report.accepted === 1 ? 'one damaged session that was' : `${report.accepted} damaged sessions that were`
      console.error(
        `The record is intact${report.accepted ? `, except for ${damaged} accepted before and not checked` : ''}.`,
      )
    } finally {
      await store.close()
    }
  } finally {
    await lock.release()
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
Keep the file as it is, and compare it with a backup.`
}
