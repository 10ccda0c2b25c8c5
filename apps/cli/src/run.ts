import { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { Command } from 'commander'
import type { Api } from './api.ts'
import { findSession } from './ask-lookup.ts'
import { CliError, EXIT, ProgramEnd } from './cli-error.ts'
import type { AddressFlags } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { LEAVE_WORDS } from './run-keys.ts'
import { sessionTable } from './session-table.ts'
import { HOSTED_AGENT } from './terminal-agents.ts'
import { terminalText } from './terminal-text.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly title?: string
  /** True when it was asked for without a name. */
  readonly session?: string | true
}

export function runCommand(): Command {
  return addressOptions(new Command('run'))
    .description('Run a program, such as claude, in a terminal that you can also look at and type into elsewhere.')
    .argument('[program...]', 'the program and its arguments')
    .option('--title <text>', 'what to call it in lists')
    .option('--session [id]', 'show one that runs already, instead of starting another; without an id, list them')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
The program goes on when this terminal is closed and when the gateway is restarted. ${LEAVE_WORDS} leaves it
running; its own end ends this too, with its exit code. Who typed last has the keyboard: while somebody else
types, your keys beep. Of Claude Code in it, what it says and asks appears in the app as well; where a shell
has started it ("holdpoint run bash", then "claude"), the app offers to find its conversation first.

Examples:
  holdpoint run claude
  holdpoint run --title "Nightly build" -- make -j4
  holdpoint run --session bjymcs`,
    )
    .action(run)
}

async function run(program: readonly string[], flags: Flags): Promise<void> {
  if ((flags.session === undefined) === (program.length === 0)) {
    throw new CliError('Name a program to run, or a session to show: "holdpoint run claude".', EXIT.usage)
  }
  if (flags.session === true) return withApi(flags, listTerminals)
  const { stdin: input, stdout: output } = process
  if (!input.isTTY || !output.isTTY) {
    throw new CliError('"holdpoint run" shows a program in your terminal, and this is none.', EXIT.usage)
  }
  await withApi(flags, async (api) => {
    const sessionId =
      typeof flags.session === 'string'
        ? await findTerminal(api, flags.session)
        : SessionId.parse((await api.call<Session>('POST', '/api/terminals', startOf(program, flags, output))).id)
    const end = await runInTerminal({ api, address: flags, sessionId, input, output })
    if (end.how === 'left') {
      console.error(`Left it running. "holdpoint run --session ${sessionId}" shows it again.`)
      return
    }
    if (end.how === 'stopped') {
      throw new CliError('The gateway was stopped, and all that it ran: the program has ended with its host.')
    }
    if (end.code === undefined) throw new CliError('The program was ended from elsewhere.')
    if (end.code !== 0) throw new ProgramEnd(end.code)
  })
}

async function findTerminal(api: Api, given: string): Promise<SessionId> {
  const { id, agent, title } = await findSession(api, given)
  if (agent === HOSTED_AGENT) return id
  throw new CliError(
    `"${terminalText(title)}" does not run in a terminal of Holdpoint's (its agent is ${terminalText(agent)}), so there is none to show. "holdpoint run --session" lists those that do.`,
  )
}

async function listTerminals(api: Api): Promise<void> {
  const running = (await runningSessions(api)).filter(({ agent }) => agent === HOSTED_AGENT)
  if (running.length === 0) {
    return console.error('No program runs in a terminal of Holdpoint\'s. "holdpoint run claude" starts one.')
  }
  console.log(sessionTable(running, { now: Date.now(), columns: process.stdout.columns }).join('\n'))
  console.error('"holdpoint run --session ID" shows one of them.')
}

function startOf([command, ...args]: readonly string[], { title }: Flags, output: NodeJS.WriteStream) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDPOINT_')))
  return {
    command,
    args,
    cwd: process.cwd(),
    env,
    cols: Math.max(output.columns || 80, 2),
    rows: Math.max(output.rows || 24, 1),
    ...(title !== undefined && { title }),
  }
}
