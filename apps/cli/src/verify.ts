import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainFault, StoreFault } from '@holdpoint/core/store'
import { lockDataFolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { CliError, EXIT } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { terminalText } from './terminal-text.ts'

export function verifyCommand(): Command {
  return new Command('verify')
    .description('Check that nothing in the record was changed, removed or put in. The gateway must be stopped.')
    .option('--data <folder>', 'where the record is kept (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option('--accept', 'end the sessions whose record is damaged, so that the gateway starts with the others')
    .addHelpText(
      'after',
      `
Prints the head of the hash chain, unless the chain is broken. Keep it elsewhere: a later check that has the same events
gives the same head.
A gateway does not start while a session that goes on does not match its chain. --accept ends such a session, for good,
and says so in its record. A session that is damaged can be neither shown nor resumed. Nothing is repaired.

Example:
  holdpoint stop && holdpoint verify; holdpoint start`,
    )
    .action(verify)
}

async function verify(flags: { data?: string; accept?: boolean }): Promise<void> {
  const folder = dataFolder(flags.data)
  const path = join(folder, 'holdpoint.db')
  // Before the lock: taking it would make the folder, and opening the store the file.
  if (!existsSync(path)) throw new CliError(`There is no record in ${folder}. Name its folder with --data.`)
  // Held all the time: a gateway that started in between would write while we read.
  const lock = await lockDataFolder(folder).catch((error: unknown) => {
    if (!(error instanceof StoreFault) || error.code !== 'locked') throw error
    throw new CliError(
      `A gateway runs on ${folder} and has the record open for itself. Stop it first with "holdpoint stop", verify, then start it again: agents go on meanwhile, and wait with what they ask.`,
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
        report.accepted === 1 ? 'one damaged session, which was' : `${report.accepted} damaged sessions, which were`
      console.error(
        `The record is whole${report.accepted ? `, but for ${damaged} accepted as such and not checked` : ''}.`,
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
    console.error(`Accepted: ${placeWords(fault)} The session is over: it can be neither shown nor resumed.`)
  }
}

function placeWords(fault: ChainFault): string {
  const session = fault.sessionId === '' ? 'no session in particular' : terminalText(fault.sessionId)
  return `Session: ${session}. Row: seq ${fault.seq}, number ${fault.sessionSeq} of the session. What is wrong: ${terminalText(fault.problem)}.`
}

function faultWords(fault: ChainFault): string {
  return `The record is NOT whole. ${placeWords(fault)}
Keep the file as it is, and compare it with a backup.`
}
