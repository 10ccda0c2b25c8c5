import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { timeWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { addressOptions, withApi } from './with-api.ts'

export function loginCommand(): Command {
  return addressOptions(new Command('login'))
    .description('Print a new single-use link that logs a browser in.')
    .addHelpText(
      'after',
      `
Needs HOLDPOINT_TOKEN, or a one-time code that you type in.

Example:
  HOLDPOINT_TOKEN=… holdpoint login`,
    )
    .action(login)
}

async function login(flags: AddressFlags): Promise<void> {
  const { url, expiresAt } = await withApi(flags, (api) => api.call(paths.account.pair, { body: { role: 'owner' } }))
  console.log(url)
  console.error(`Open it in a browser before ${timeWords(expiresAt)}. It works once.`)
}
