import type { ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import type { Machine } from '@holdpoint/schema/endpoints/machines'
import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import { readHolder } from '@holdpoint/store/data-lock'
import type { Holder } from '@holdpoint/store/lock-holder'
import { Command } from 'commander'
import { createApi } from './api.ts'
import { asksLine } from './asks-line.ts'
import { type AttachedTerminals, lookAtTerminals, terminalsLine } from './attach/attached-terminals.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { dataFolder } from './data-folder.ts'
import { failureWords } from './failure-words.ts'
import { gatewayAddresses, notRunningWords } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { machineTable } from './machine-table.ts'
import { recordLine } from './record-line.ts'
import type { SeenHost } from './running-host.ts'

export function statusCommand(): Command {
  return new Command('status')
    .description(
      'Show whether a gateway is running, what it does, and whether terminals are attached. Exits with 3 when none is running.',
    )
    .option('--json', 'print JSON')
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .addHelpText(
      'after',
      `
With HOLDPOINT_TOKEN set, it also shows sessions, open asks and the state of the record, and the machines that share it.

Example:
  holdpoint status --json`,
    )
    .action(status)
}

const INDENT = ' '.repeat(10)

type GatewayStatus = ReplyOf<typeof paths.system.status>

interface Work extends Pick<GatewayStatus, 'record' | 'policyFile'> {
  /** Running ones only: there may be very many ended ones. */
  readonly sessions: Record<Exclude<Session['state'], 'dead'>, number>
  /** How many of them wait for a message without a process. */
  readonly parked: number
  /** How many of them have an open ask. */
  readonly waitingForYou: number
  readonly openAsks: number
  /** Those whose gateways share the record; none where there is one gateway. */
  readonly machines: readonly Machine[]
}

async function status(flags: { json?: boolean; data?: string }): Promise<void> {
  const folder = dataFolder(flags.data)
  const holder = await readHolder(folder)
  const { lookAtHost } = await import('./running-host.ts')
  const host = await lookAtHost(folder)
  const terminals = lookAtTerminals()
  const work = holder?.url === undefined ? undefined : await readWork(folder)
  if (flags.json) {
    console.log(
      terminalJson(
        { running: holder !== undefined, data: folder, ...holder, host: host ?? null, terminals, ...work },
        2,
      ),
    )
  } else if (holder) {
    console.log(lines(folder, { holder, host, terminals, work }).join('\n'))
  } else {
    if (host) console.log(hostLine(host))
    if (terminals.attached) console.log(terminalsLine(terminals, folder))
  }
  if (!holder) throw new CliError(notRunningWords(folder, flags.data), EXIT.notRunning)
}

async function readWork(folder: string): Promise<Work | undefined> {
  const token = process.env.HOLDPOINT_TOKEN
  if (!token) return undefined
  const api = createApi(() => gatewayAddresses({ data: folder }), token)
  try {
    const sessions = await runningSessions(api)
    const openAsks = sessions.reduce((sum, session) => sum + session.openAsks, 0)
    const states = { starting: 0, assistant_turn: 0, user_turn: 0 }
    for (const { state } of sessions) if (state !== 'dead') states[state]++
    const parked = sessions.filter((session) => session.parkedAt !== undefined).length
    const waitingForYou = sessions.filter((session) => session.openAsks > 0).length
    const { record, policyFile } = await api.call(paths.system.status, {})
    const { machines } = await api.call(paths.machines.list, {})
    return { sessions: states, parked, waitingForYou, openAsks, record, policyFile, machines }
  } catch (error) {
    // The rest of the status is printed without it.
    console.error(failureWords(error).words)
    return undefined
  }
}

function lines(
  folder: string,
  seen: { holder: Holder; host?: SeenHost | undefined; terminals: AttachedTerminals; work?: Work | undefined },
): string[] {
  const { holder, host, terminals, work } = seen
  const printed = [
    `Gateway   running, process ${holder.pid}${holder.version === undefined ? '' : `, version ${terminalText(holder.version)}`}`,
    `Address   ${holder.url === undefined ? 'starting or stopping' : terminalText(holder.url)}`,
    `Data      ${terminalText(folder)}`,
    hostLine(host),
    terminalsLine(terminals, folder),
  ]
  if (!work) return printed
  const { starting, assistant_turn: working, user_turn: idle } = work.sessions
  const running = starting + working + idle
  const need = work.waitingForYou === 1 ? 'needs' : 'need'
  const parked = work.parked > 0 ? ` (${work.parked} parked)` : ''
  printed.push(`Sessions  ${running} running, ${work.waitingForYou} ${need} answer, ${idle} idle${parked}`)
  printed.push(asksLine(work.openAsks))
  printed.push(recordLine(work.record))
  return [...printed, ...policyLines(work.policyFile), ...machineLines(work.machines)]
}

function machineLines(machines: readonly Machine[]): string[] {
  if (machines.length === 0) return []
  const reachable = machines.filter(({ isReachable }) => isReachable).length
  const columns = process.stdout.columns && process.stdout.columns - INDENT.length
  const table = machineTable(machines, { columns }).map((line) => INDENT + line)
  const isCutOff = machines.some(({ isReachable, isThis }) => isThis && !isReachable)
  return [isCutOff ? 'Machines  not known' : `Machines  ${reachable} of ${machines.length} reachable`, ...table]
}

/** Nothing to say of a file that is in order. */
function policyLines({ path, error, waiting }: Work['policyFile']): string[] {
  if (error !== undefined) {
    return [`Policy    ${terminalText(path)} cannot be used: ${terminalText(error)} The previous rules stay in force.`]
  }
  if (waiting === 0) return []
  const changes = waiting === 1 ? '1 change' : `${waiting} changes`
  return [`Policy    ${changes} in ${terminalText(path)} would allow more: confirm with "holdpoint rules confirm"`]
}

function hostLine(host: SeenHost | undefined): string {
  if (!host) return 'Host      not running (it starts with the first agent)'
  if (host.pid === undefined) return 'Host      running'
  return `Host      running, process ${host.pid}, agents: ${host.agents?.join(', ') || 'none'}`
}
