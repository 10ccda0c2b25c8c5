import type { Session } from '@holdpoint/schema/session'
import { Command } from 'commander'
import type { Api } from './api.ts'
import { askDetail } from './ask-detail.ts'
import { findAsk, findSession, openAsks } from './ask-lookup.ts'
import { askTable } from './ask-table.ts'
import { CliError, EXIT } from './cli-error.ts'
import type { AddressFlags } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { terminalJson } from './terminal-text.ts'
import { untilInterrupted, watchAsks } from './watch-asks.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly session?: string
  readonly json?: boolean
  readonly watch?: boolean
}

export function asksCommand(): Command {
  return addressOptions(new Command('asks'))
    .description('List what waits for your answer, or show one ask in full.')
    .argument('[ask]', 'id of an ask, or four or more characters that it begins or ends with')
    .option('--session <id>', 'asks of one session only ("holdpoint sessions" lists them)')
    .option('--watch', 'go on and print asks and outcomes as they come, until Ctrl-C')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
What agents and servers wrote stands behind a bar. What cannot be seen in it, or looks like something else, is shown
by its code point, for example ⟨U+202E⟩, and a tab as \u21e5.

Examples:
  holdpoint asks
  holdpoint asks bjymcs
  holdpoint asks --watch`,
    )
    .action(asks)
}

async function asks(given: string | undefined, flags: Flags): Promise<void> {
  if (given !== undefined && (flags.watch || flags.session !== undefined)) {
    throw new CliError('--watch and --session are for the list: leave the id of the ask out.', EXIT.usage)
  }
  await withApi(flags, async (api) => {
    if (given !== undefined) return showOne(api, given, flags)
    const sessionId = flags.session === undefined ? undefined : (await findSession(api, flags.session)).id
    if (!flags.watch) return list(api, { sessionId, json: flags.json === true })
    return untilInterrupted((signal) =>
      watchAsks(api, { address: flags, sessionId, json: flags.json === true, signal }),
    )
  })
}

async function showOne(api: Api, given: string, flags: Flags): Promise<void> {
  const ask = await findAsk(api, given)
  if (flags.json) return console.log(terminalJson(ask, 2))
  const { title } = await api.call<Session>('GET', `/api/sessions/${ask.sessionId}`)
  console.log(askDetail(ask, { sessionTitle: title, now: Date.now(), columns: process.stdout.columns }).join('\n'))
  if (!ask.outcome) await api.call('POST', `/api/asks/${ask.id}/seen`)
}

async function list(api: Api, options: { sessionId: string | undefined; json: boolean }): Promise<void> {
  const open = await openAsks(api, options.sessionId)
  if (options.json) return console.log(terminalJson({ asks: open }, 2))
  if (open.length === 0) return console.error('Nothing waits for your answer.')
  const sessions = await runningSessions(api)
  const titles = new Map<string, string>(sessions.map(({ id, title }) => [id, title]))
  console.log(askTable(open, { titles, now: Date.now(), columns: process.stdout.columns }).join('\n'))
}
