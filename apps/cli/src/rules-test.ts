import { resolve } from 'node:path'
import { paths } from '@holdpoint/schema/paths'
import type { Verdict } from '@holdpoint/schema/policy'
import { Command } from 'commander'
import { shortId } from './abbreviation.ts'
import { CliError, EXIT, ProgramEnd } from './console/cli-error.ts'
import { fenced, type Width } from './console/fence.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { jsonObject } from './json-object.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly cwd: string
  readonly project?: string
  readonly agent: string
  readonly tool?: string
  readonly input?: string
  readonly json?: boolean
}

/** None of them is the code of a failure. */
const CODES = { allow: 0, ask: 10, deny: 11, none: 12 } as const satisfies Record<Verdict['effect'], number>

export function testCommand(): Command {
  return addressOptions(new Command('test'))
    .description('Show what the rules decide about a call, part by part. Nothing runs, and nothing is recorded.')
    .argument('[command]', 'a shell command')
    .option('--cwd <folder>', 'folder in which the call is made', '.')
    .option('--project <folder>', 'folder of the session (default: the one of --cwd)')
    .option('--agent <kind>', 'kind of agent', 'claude')
    .option('--tool <name>', 'a tool other than Bash, with --input')
    .option('--input <json>', 'input of that tool')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exit code:
  0   rules allow it
  10  a person is asked, whatever the mode
  11  a rule denies it
  12  no rule decides: the agent's own permission check does, or the session asks for everything
  Other codes mean that the command failed.

Rules of one session do not count here. Git commands are allowed only in folders that you trust.

Examples:
  holdpoint rules test 'git status && rm x' --cwd ~/project
  holdpoint rules test --tool Edit --input '{"file_path":"/etc/hosts"}'`,
    )
    .action(test)
}

async function test(command: string | undefined, flags: Flags): Promise<void> {
  const { agent } = flags
  const cwd = resolve(flags.cwd)
  const project = flags.project === undefined ? {} : { project: resolve(flags.project) }
  const body = { agent, cwd, ...project, ...calledTool(command, flags) }
  const verdict = await withApi(flags, (api) => api.call(paths.policy.explain, { body }))
  if (flags.json) console.log(terminalJson(verdict, 2))
  else console.log(verdictLines(verdict, { columns: process.stdout.columns }).join('\n'))
  const code = CODES[verdict.effect]
  if (code !== 0) throw new ProgramEnd(code)
}

function calledTool(command: string | undefined, { tool, input }: Flags) {
  if (command !== undefined && tool === undefined && input === undefined) return { tool: 'Bash', input: { command } }
  if (command !== undefined || tool === undefined || input === undefined)
    throw new CliError('Give a command, or --tool and --input.', EXIT.usage)
  return { tool, input: objectOf(input) }
}

function objectOf(text: string): Record<string, unknown> {
  const value = jsonObject(text)
  if (value) return value
  throw new CliError('--input must be a JSON object, such as {"file_path":"/etc/hosts"}.', EXIT.usage)
}

function verdictLines({ effect, reason, parts }: Verdict, width: Width): string[] {
  const lines = parts.flatMap((part) => [
    ...fenced(part.part, width),
    `    ${part.effect}: ${terminalText(part.reason)}${part.rule === undefined ? '' : ` (rule ${shortId(part.rule)})`}`,
  ])
  const whole = effect === 'none' ? 'No rule decides' : `Verdict: ${effect}`
  return [...lines, `${whole}. ${terminalText(reason)}`]
}
