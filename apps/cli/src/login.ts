import { Command } from 'commander'
import type { AddressFlags } from './gateway-address.ts'
import { timeWords } from './time-words.ts'
import { addressOptions, withApi } from './with-api.ts'

export function loginCommand(): Command {
  return addressOptions(new Command('login'))
    .description('Print a fresh single-use link to log a browser in with.')
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
  const { url, expiresAt } = await withApi(flags, (api) =>
    api.call<{ url: string; expiresAt: number }>('POST', '/api/pairings', { role: 'owner' }),
  )
  console.log(url)
  console.error(`Open it in a browser before ${timeWords(expiresAt)}. It works once.`)
}
