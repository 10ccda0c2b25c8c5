import { readHolder } from '@holdpoint/store/data-lock'
import { CliError, EXIT } from './console/cli-error.ts'
import { dataFolder } from './data-folder.ts'

export interface AddressFlags {
  readonly data?: string
  readonly url?: readonly string[]
}

/** Where the gateway is: the addresses that were given, or the one that the data folder's gateway has. */
export async function gatewayAddresses(flags: AddressFlags): Promise<readonly string[]> {
  const given = givenAddresses(flags)
  if (given) return [...new Set(given.map(checkedAddress))]
  const folder = dataFolder(flags.data)
  const holder = await readHolder(folder)
  if (!holder) throw new CliError(notRunningWords(folder, flags.data), EXIT.notRunning)
  if (holder.url === undefined) {
    throw new CliError(
      `The gateway on ${folder} (process ${holder.pid}) is starting or stopping. Try again in a moment.`,
      EXIT.notRunning,
    )
  }
  return [holder.url]
}

/** Undefined where the address is looked up in a data folder. */
export function givenAddresses({ data, url }: AddressFlags): readonly string[] | undefined {
  const given = url ?? (data === undefined ? fromEnvironment() : undefined)
  return given?.flatMap((text) => text.split(',')).map((text) => text.trim())
}

function fromEnvironment(): readonly string[] | undefined {
  const { HOLDPOINT_URL } = process.env
  return HOLDPOINT_URL ? [HOLDPOINT_URL] : undefined
}

export function notRunningWords(folder: string, flag: string | undefined): string {
  return `No gateway is running for the data folder ${folder}: start it with "holdpoint start${flag === undefined ? '' : ` --data ${flag}`}".`
}

function checkedAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:') return url.origin
  if (url?.protocol !== 'http:') throw new CliError('--url must be an http:// or https:// address.', EXIT.usage)
  // The credential goes along with every call.
  if (!/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    throw new CliError(
      `--url ${url.origin} would send your credential unencrypted over a network. Use https://.`,
      EXIT.usage,
    )
  }
  // Another user of this machine may listen at the other address that this name has, and would get the credential.
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  return url.origin
}
