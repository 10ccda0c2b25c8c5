import { resolve } from 'node:path'
import type { TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { findMachine, WHICH } from './machines.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly revoke?: string
  readonly machine?: string
  readonly json?: boolean
}

export function trustedCommand(): Command {
  return addressOptions(new Command('trusted'))
    .description('List the trusted folders, or stop trusting one.')
    .option('--revoke <folder>', 'stop trusting this folder; its agents restart without its settings')
    .option('--machine <machine>', `the machine of the folder, if it is another one: ${WHICH}`)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Agents load the settings, hooks and MCP servers of a trusted folder.

Examples:
  holdpoint trusted
  holdpoint trusted --revoke ~/code/app
  holdpoint trusted --revoke /srv/app --machine build-1`,
    )
    .action(trusted)
}

async function trusted(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    const node = flags.machine === undefined ? undefined : (await findMachine(api, flags.machine)).id
    const query = { ...(node && { node }) }
    if (flags.revoke !== undefined) {
      // On another machine it may be a link, or not be there.
      const path = node === undefined ? resolve(flags.revoke) : flags.revoke
      await api.call(paths.folders.distrust, { query: { ...query, path } })
      return console.error(`${terminalText(path)} is no longer trusted.`)
    }
    const reply = await api.call(paths.folders.trusted, { query })
    if (flags.json) return console.log(terminalJson(reply, 2))
    if (reply.folders.length === 0) return console.error('No folder is trusted.')
    console.log(reply.folders.flatMap((folder) => folderLines(folder, Date.now())).join('\n'))
  })
}

function folderLines({ path, trusted: counts, reason, trustedAt, by, machine }: TrustedFolder, now: number): string[] {
  const where = machine === undefined ? '' : ` (${terminalText(machine.name)})`
  const who = by === undefined ? '' : ` by "${terminalText(by)}"`
  const why = counts ? [] : [`  Not trusted now. ${terminalText(reason ?? '')}`]
  return [`${terminalText(path)}${where}`, `  trusted ${ageWords(now - trustedAt)} ago${who}`, ...why]
}
