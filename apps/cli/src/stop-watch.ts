import { readHolder } from '@holdpoint/store/data-lock'
import { dataFolder } from './data-folder.ts'
import { type AddressFlags, givenAddresses } from './gateway-address.ts'
import { isRunning, markOf } from './process-watch.ts'

/** What became of the host that holds the programs; `unknown` where it cannot be seen from here. */
export type HostLife = 'running' | 'stopped' | 'unknown'

/**
 * Watches the host while no gateway can be reached. The host is looked up now, while it is known to run: a host that was
 * never seen is never reported as stopped. Neither is one while a gateway runs: only the gateway knows how programs ended.
 */
export async function watchForStop(flags: AddressFlags): Promise<() => Promise<HostLife>> {
  // The gateway may be on another machine.
  const folder = givenAddresses(flags) ? undefined : dataFolder(flags.data)
  const { lookAtHost } = await import('./running-host.ts')
  const seen = folder === undefined ? undefined : await lookAtHost(folder)
  if (folder === undefined || !seen) return async () => 'unknown'
  const mark = seen.pid === undefined ? undefined : await markOf(seen.pid)
  return async () => {
    if (mark ? await isRunning(mark) : await lookAtHost(folder)) return 'running'
    return (await readHolder(folder).catch(() => 'somebody')) === undefined ? 'stopped' : 'unknown'
  }
}
