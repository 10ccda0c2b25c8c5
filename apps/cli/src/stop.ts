import { readHolder } from '@holdpoint/store/data-lock'
import { Command } from 'commander'
import { CliError } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { isRunning } from './process-watch.ts'
import { waitUntil } from './wait-until.ts'

const STOP_MS = 10_000

export function stopCommand(): Command {
  return new Command('stop')
    .description('Stop the gateway. Agents go on and wait for the next one, unless you say --all.')
    .option('--all', 'end every agent and the host that holds them, too')
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
    console.error(`No gateway runs on ${folder}.`)
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
  console.error(`${agents}: "holdpoint start" goes on with what runs, "holdpoint stop --all" ends it.`)
}

async function stopGateway(folder: string, pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH')
      throw new CliError(`Process ${pid} runs the gateway on ${folder}, and may not be stopped by you (${code}).`)
  }
  const stopped = await waitUntil(async () => {
    // A gateway that is busy going down may not answer; it still holds the folder.
    const holder = await readHolder(folder).catch(() => ({ pid }))
    return holder?.pid !== pid && !(await isRunning({ pid }))
  }, STOP_MS)
  if (!stopped) {
    throw new CliError(
      `The gateway (process ${pid}) has not stopped in ${STOP_MS / 1000} seconds. Nothing is lost if you end it by force: kill -9 ${pid}`,
    )
  }
}

function counted(agents: number): string {
  return `${agents} ${agents === 1 ? 'agent' : 'agents'}`
}
