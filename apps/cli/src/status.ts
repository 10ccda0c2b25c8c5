import type { Session } from '@holdpoint/schema/session'
import { readHolder } from '@holdpoint/store/data-lock'
import type { Holder } from '@holdpoint/store/lock-holder'
import { Command } from 'commander'
import { createApi } from './api.ts'
import { type AttachedTerminals, lookAtTerminals, terminalsLine } from './attach/attached-terminals.ts'
import { CliError, EXIT } from './cli-error.ts'
import { dataFolder } from './data-folder.ts'
import { failureWords } from './failure-words.ts'
import { notRunningWords } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { type RecordState, recordLine } from './record-line.ts'
import type { SeenHost } from './running-host.ts'
import { terminalJson, terminalText } from './terminal-text.ts'

export function statusCommand(): Command {
  return new Command('status')
    .description(
      'Say whether a gateway runs, what it is doing, and whether terminals ask it. Exits with 3 when none runs.',
    )
    .option('--json', 'print JSON')
    .option('--data <folder>', 'data folder of the gateway (default: HOLDPOINT_DATA or ~/.holdpoint)')
    .addHelpText(
      'after',
      `
With HOLDPOINT_TOKEN set it also counts sessions and open asks.

Example:
  holdpoint status --json`,
    )
    .action(status)
}

interface Work {
  readonly record: RecordState
  /** That run: how many there were is not counted each time. */
  readonly sessions: Record<Exclude<Session['state'], 'dead'>, number>
  readonly openAsks: number
}

async function status(flags: { json?: boolean; data?: string }): Promise<void> {
  const folder = dataFolder(flags.data)
  const holder = await readHolder(folder)
  const { lookAtHost } = await import('./running-host.ts')
  const host = await lookAtHost(folder)
  const terminals = lookAtTerminals()
  const work = holder?.url === undefined ? undefined : await readWork(holder.url)
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

async function readWork(url: string): Promise<Work | undefined> {
  const token = process.env.HOLDPOINT_TOKEN
  if (!token) return undefined
  const api = createApi(url, token)
  try {
    const sessions = await runningSessions(api)
    const openAsks = sessions.reduce((sum, session) => sum + session.openAsks, 0)
    const states = { starting: 0, assistant_turn: 0, user_turn: 0 }
    for (const { state } of sessions) if (state !== 'dead') states[state]++
    const { record } = await api.call<{ record: RecordState }>('GET', '/api/status')
    return { sessions: states, openAsks, record }
  } catch (error) {
    // The rest is worth knowing all the same.
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
    `Address   ${holder.url === undefined ? 'still starting' : terminalText(holder.url)}`,
    `Data      ${terminalText(folder)}`,
    hostLine(host),
    terminalsLine(terminals, folder),
  ]
  if (!work) return printed
  const { starting, assistant_turn: working, user_turn: waiting } = work.sessions
  printed.push(`Sessions  ${working} working, ${waiting} waiting for your message, ${starting} starting`)
  printed.push(`Asks      ${work.openAsks} open${work.openAsks > 0 ? ' (see them with "holdpoint asks")' : ''}`)
  printed.push(recordLine(work.record))
  return printed
}

function hostLine(host: SeenHost | undefined): string {
  if (!host) return 'Host      not running (it starts with the first agent)'
  if (host.pid === undefined) return 'Host      running'
  return `Host      running, process ${host.pid}, agents: ${host.agents?.join(', ') || 'none'}`
}
