import { readHolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { CliError } from './console/cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { isRunning } from './process-watch.ts'
import { waitUntil } from './wait-until.ts'

const STOP_MS = 10_000

export function stopCommand(): Command {
  return new Command('stop')
    .description('Stop the gateway. Without --all, agents keep running and wait until it starts again.')
    .option('--all', 'also end all agents and their host process')
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .addHelpText('after', '\nExample:\n  holdpoint stop --all')
    .action(stop)
}

async function stop(flags: { all?: boolean; data?: string }): Promise<void> {
  const folder = dataFolder(flags.data)
  const holder = await readHolder(folder)
  if (holder) {
    await stopGateway(folder, holder.pid)
    console.error(`Stopped the gateway (process ${holder.pid}${holder.url === undefined ? '' : `, ${holder.url}`}).`)
  } else {
    console.error(`No gateway is running for the data folder ${folder}.`)
  }
  const { endHost, lookAtHost } = await import('./running-host.ts')
  if (flags.all) {
    const ended = await endHost(folder)
    console.error(
      ended ? `Ended ${counted(ended.agents)} and the host (process ${ended.pid}).` : 'No agent host was running.',
    )
    return
  }
  const host = await lookAtHost(folder)
  if (!host || host.agents?.length === 0) return
  const agents = host.agents
    ? `${counted(host.agents.length)} still ${host.agents.length === 1 ? 'runs' : 'run'}`
    : 'Agents may still run'
  console.error(`${agents}. "holdpoint start" reconnects, "holdpoint stop --all" ends all agents.`)
}

async function stopGateway(folder: string, pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH')
      throw new CliError(`You have no permission to stop the gateway on ${folder} (process ${pid}, ${code}).`)
  }
  const stopped = await waitUntil(async () => {
    // A gateway that is busy stopping may not answer; it still holds the lock of the folder.
    const holder = await readHolder(folder).catch(() => ({ pid }))
    return holder?.pid !== pid && !(await isRunning({ pid }))
  }, STOP_MS)
  if (!stopped) {
    throw new CliError(
      `The gateway (process ${pid}) did not stop within ${STOP_MS / 1000} seconds. No data is lost if you end it by force: kill -9 ${pid}`,
    )
  }
}

function counted(agents: number): string {
  return `${agents} ${agents === 1 ? 'agent' : 'agents'}`
}
