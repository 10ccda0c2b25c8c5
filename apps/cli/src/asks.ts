import type { SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import type { Api } from './api.ts'
import { askDetail } from './ask-detail.ts'
import { findAsk, findSession, openAsks } from './ask-lookup.ts'
import { askTable } from './ask-table.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { machinesOf } from './session-machines.ts'
import { untilInterrupted, watchAsks } from './watch-asks.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly session?: string
  readonly json?: boolean
  readonly watch?: boolean
}

export function asksCommand(): Command {
  return addressOptions(new Command('asks'))
    .description('List the open asks, or show one ask in full.')
    .argument('[ask]', 'id of an ask, or at least four characters of its beginning or end')
    .option('--session <id>', 'only asks of this session ("holdpoint sessions" lists the ids)')
    .option('--watch', 'keep running and print asks and outcomes as they come, until Ctrl-C')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Text from agents and servers is printed behind a bar. Characters that are invisible, or look like others, are printed
as their code points, for example ⟨U+202E⟩, and a tab as \u21e5.

Examples:
  holdpoint asks
  holdpoint asks bjymcs
  holdpoint asks --watch`,
    )
    .action(asks)
}

async function asks(given: string | undefined, flags: Flags): Promise<void> {
  if (given !== undefined && (flags.watch || flags.session !== undefined)) {
    throw new CliError('--watch and --session are for the list. Leave out the id of the ask.', EXIT.usage)
  }
  await withApi(flags, async (api) => {
    if (given !== undefined) return showOne(api, given, flags)
    const sessionId = flags.session === undefined ? undefined : (await findSession(api, flags.session)).id
    if (!flags.watch) return list(api, { sessionId, json: flags.json === true })
    return untilInterrupted((signal) => watchAsks(api, { sessionId, json: flags.json === true, signal }))
  })
}

async function showOne(api: Api, given: string, flags: Flags): Promise<void> {
  const ask = await findAsk(api, given)
  if (flags.json) return console.log(terminalJson(ask, 2))
  const session = await api.call(paths.sessions.read, { params: { id: ask.sessionId } })
  const machine = (await machinesOf(api, [session]))?.get(session.id)
  const { columns } = process.stdout
  console.log(askDetail(ask, { sessionTitle: session.title, machine, now: Date.now(), columns }).join('\n'))
  if (!ask.outcome) await api.call(paths.asks.seen, { params: { id: ask.id } })
}

async function list(api: Api, options: { sessionId: SessionId | undefined; json: boolean }): Promise<void> {
  const open = await openAsks(api, options.sessionId)
  if (options.json) return console.log(terminalJson({ asks: open }, 2))
  if (open.length === 0) return console.error('No asks are open.')
  const sessions = await runningSessions(api)
  const titles = new Map<string, string>(sessions.map(({ id, title }) => [id, title]))
  const machines = await machinesOf(api, sessions)
  const { columns } = process.stdout
  console.log(askTable(open, { titles, ...(machines && { machines }), now: Date.now(), columns }).join('\n'))
}
