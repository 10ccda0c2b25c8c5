import { SessionId } from '@holdpoint/schema/id'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import type { Api } from './api.ts'
import { findSession } from './ask-lookup.ts'
import { CliError, EXIT, ProgramEnd } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { runningSessions } from './list-sessions.ts'
import { runInTerminal } from './run-in-terminal.ts'
import { LEAVE_WORDS } from './run-keys.ts'
import { sessionTable } from './session-table.ts'
import { HOSTED_AGENT } from './terminal-agents.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly title?: string
  /** True when the flag was given without an id. */
  readonly session?: string | true
}

export function runCommand(): Command {
  return addressOptions(new Command('run'))
    .description('Run a program, such as claude, in a terminal that you can also see and use from other devices.')
    .argument('[program...]', 'the program and its arguments')
    .option('--title <text>', 'name to show in lists')
    .option('--session [id]', 'show a running program instead of starting one; without an id, list the running ones')
    .passThroughOptions()
    .addHelpText(
      'after',
      `
The program keeps running when you close this terminal and when the gateway restarts. Press ${LEAVE_WORDS} to
leave it. When the program ends, this command ends with the same exit code. The person who typed last has the
keyboard; while somebody else types, your keys only beep. If the program is Claude Code, its messages and asks
also appear in the app. If you started it from a shell ("holdpoint run bash", then "claude"), the app first
offers to find its conversation.

Examples:
  holdpoint run claude
  holdpoint run --title "Nightly build" -- make -j4
  holdpoint run --session bjymcs`,
    )
    .action(run)
}

async function run(program: readonly string[], flags: Flags): Promise<void> {
  if ((flags.session === undefined) === (program.length === 0)) {
    throw new CliError(
      'Give either a program to run ("holdpoint run claude") or a session to show ("holdpoint run --session ID").',
      EXIT.usage,
    )
  }
  if (flags.session === true) return withApi(flags, listTerminals)
  const { stdin: input, stdout: output } = process
  if (!input.isTTY || !output.isTTY) {
    throw new CliError(
      '"holdpoint run" works only in a terminal: its input and output must not be redirected.',
      EXIT.usage,
    )
  }
  await withApi(flags, async (api) => {
    const sessionId =
      typeof flags.session === 'string'
        ? await findTerminal(api, flags.session)
        : SessionId.parse((await api.call(paths.terminals.start, { body: startOf(program, flags, output) })).id)
    const end = await runInTerminal({ api, address: flags, sessionId, input, output })
    if (end.how === 'left') {
      console.error(`The program is still running. To see it again:\n  holdpoint run --session ${sessionId}`)
      return
    }
    if (end.how === 'stopped') {
      throw new CliError('The gateway and all its programs were stopped: the program has ended.')
    }
    if (end.code === undefined) throw new CliError('The program was ended from outside this terminal.')
    if (end.code !== 0) throw new ProgramEnd(end.code)
  })
}

async function findTerminal(api: Api, given: string): Promise<SessionId> {
  const { id, agent, title } = await findSession(api, given)
  if (agent === HOSTED_AGENT) return id
  throw new CliError(
    `"${terminalText(title)}" (agent: ${terminalText(agent)}) does not run in a Holdpoint terminal, so there is no terminal to show. "holdpoint run --session" lists the programs that do.`,
  )
}

async function listTerminals(api: Api): Promise<void> {
  const running = (await runningSessions(api)).filter(({ agent }) => agent === HOSTED_AGENT)
  if (running.length === 0) {
    return console.error('No program is running in a Holdpoint terminal. "holdpoint run claude" starts one.')
  }
  console.log(sessionTable(running, { now: Date.now(), columns: process.stdout.columns }).join('\n'))
  console.error('"holdpoint run --session ID" shows one of them.')
}

function startOf([command = '', ...args]: readonly string[], { title }: Flags, output: NodeJS.WriteStream) {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || name.startsWith('HOLDPOINT_') ? [] : [[name, value]],
    ),
  )
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
