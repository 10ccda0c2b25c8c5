import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { timeWords } from './console/time-words.ts'
import type { AddressFlags } from './gateway-address.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly raiser?: string
}

export function loginCommand(): Command {
  return addressOptions(new Command('login'))
    .description('Print a new single-use link that logs a browser in, or the token of a new raiser.')
    .option('--raiser <name>', 'print a token for a program that asks: it can raise asks, and answer none')
    .addHelpText(
      'after',
      `
Needs HOLDPOINT_TOKEN, or a one-time code that you type in.

Examples:
  HOLDPOINT_TOKEN=… holdpoint login
  HOLDPOINT_TOKEN=… holdpoint login --raiser "GitHub Actions"`,
    )
    .action(login)
}

async function login({ raiser, ...flags }: Flags): Promise<void> {
  if (raiser !== undefined) return printRaiser(flags, raiser)
  const { url, expiresAt } = await withApi(flags, (api) => api.call(paths.account.pair, { body: { role: 'owner' } }))
  console.log(url)
  console.error(`Open it in a browser before ${timeWords(expiresAt)}. It works once.`)
}

async function printRaiser(flags: AddressFlags, name: string): Promise<void> {
  const token = await withApi(flags, async (api) => {
    const { code } = await api.call(paths.account.pair, { body: { role: 'raiser' } })
    return (await api.call(paths.account.login, { body: { code, bearer: true, name } })).token
  })
  console.log(token)
  console.error(
    'This is the HOLDPOINT_TOKEN for "holdpoint ask" and "holdpoint mcp" on other machines. It is shown only now; Devices in the app lists it, and can revoke it.',
  )
}
