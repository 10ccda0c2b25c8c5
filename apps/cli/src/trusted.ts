import { resolve } from 'node:path'
import type { TrustedFolder } from '@holdpoint/schema/endpoints/folders'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { ageWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly revoke?: string
  readonly json?: boolean
}

export function trustedCommand(): Command {
  return addressOptions(new Command('trusted'))
    .description('List the trusted folders, or stop trusting one.')
    .option('--revoke <folder>', 'stop trusting this folder; its agents restart without its settings')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Agents load the settings, hooks and MCP servers of a trusted folder.

Examples:
  holdpoint trusted
  holdpoint trusted --revoke ~/code/app`,
    )
    .action(trusted)
}

async function trusted(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    if (flags.revoke !== undefined) {
      const path = resolve(flags.revoke)
      await api.call(paths.folders.distrust, { query: { path } })
      return console.error(`${terminalText(path)} is no longer trusted.`)
    }
    const reply = await api.call(paths.folders.trusted, {})
    if (flags.json) return console.log(terminalJson(reply, 2))
    if (reply.folders.length === 0) return console.error('No folder is trusted.')
    console.log(reply.folders.flatMap((folder) => folderLines(folder, Date.now())).join('\n'))
  })
}

function folderLines({ path, trusted: counts, reason, trustedAt, by }: TrustedFolder, now: number): string[] {
  const who = by === undefined ? '' : ` by "${terminalText(by)}"`
  const why = counts ? [] : [`  Not trusted now. ${terminalText(reason ?? '')}`]
  return [terminalText(path), `  trusted ${ageWords(now - trustedAt)} ago${who}`, ...why]
}
