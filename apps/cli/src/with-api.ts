import type { Command } from 'commander'
import type { Api } from './api.ts'
import { withCredential } from './credential.ts'
import { type AddressFlags, gatewayAddresses } from './gateway-address.ts'

/** The flags of every command that talks to a gateway. */
export function addressOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .option(
      '--url <url>',
      'address of the gateway, instead of looking it up in the data folder; several gateways of one database: repeat it, or use commas (default: HOLDPOINT_URL)',
      (url: string, earlier: readonly string[] = []) => [...earlier, url],
    )
}

/** Finds the gateway, gets a credential, and runs `act` with both. */
export async function withApi<Result>(flags: AddressFlags, act: (api: Api) => Promise<Result>): Promise<Result> {
  const locate = () => gatewayAddresses(flags)
  // First of all, before anybody is asked for a code.
  await locate()
  return withCredential(locate, act)
}
