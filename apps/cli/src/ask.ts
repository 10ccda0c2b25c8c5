import { Command } from 'commander'
import { ApiError, UnreachableError } from './api.ts'
import { ASK_EXIT } from './ask/ask-exit.ts'
import { CliError, ProgramEnd } from './console/cli-error.ts'
import { duration } from './duration.ts'
import { failureWords } from './failure-words.ts'
import { isPassing } from './passing-fault.ts'
import { notRaiserWords } from './raiser-api.ts'
import { type AskFlags, runAsk } from './run-ask.ts'
import { addressOptions } from './with-api.ts'

const MOST_OPTIONS = 20
const LONGEST_KEY = 256

export function askCommand(): Command {
  return addressOptions(new Command('ask'))
    .description('Ask a person, wait for the answer and print it. For scripts and CI.')
    .argument('<question>', 'what to ask')
    .option(
      '--option <label>',
      'an answer to choose from (repeatable; without any, people answer in their own words)',
      collect,
    )
    .option('--detail <text>', 'more for people to read below the question (text, @file, or - for the standard input)')
    .option(
      '--timeout <time>',
      'let the ask expire after this time, such as 90s, 5m, 2h or 1d (default: as the gateway is set up)',
      duration,
    )
    .option('--key <text>', 'makes a retry the same ask: the same key waits for the same answer, or gets it')
    .option('--from <name>', 'who asks, as people read it (default: user@host)')
    .option('--json', 'print the whole result as JSON')
    .addHelpText(
      'after',
      `
The answer alone goes to the standard output, everything else to the standard error output.

Exit code:
  0    the first option, or an answer in a person's own words where there are no options
  1    another option, or a person's own words instead of an option
  2    a person skipped it, or ended it in Holdpoint: no answer
  3    expired: nobody answered in time. This is not a no
  4    the gateway could not be reached
  5    it could not be asked: wrong usage, no credential, a key that was used for another question …
  130  interrupted: Ctrl-C, SIGTERM and SIGHUP withdraw the ask

On the gateway's machine no credential has to be set. Elsewhere give --url, and HOLDPOINT_TOKEN
with the token of a raiser: "holdpoint login --raiser NAME" makes one. It can ask, and answer nothing.

If the gateway is restarted, the command keeps waiting; of several addresses it goes on at another one.
If the command itself is killed, the ask stays open: run it again with the same --key to go on waiting.

Examples:
  holdpoint ask "Deploy 1.4 to production?" --option yes --option no --timeout 2h
  git log --oneline v1.3..v1.4 | holdpoint ask "Release 1.4?" --option yes --option no --detail -
  name=$(holdpoint ask "What shall the release be called?")
  holdpoint ask "Deploy?" --option yes --option no --key "$CI_PIPELINE_ID" --json`,
    )
    .action(ask)
}

async function ask(question: string, flags: AskFlags): Promise<void> {
  try {
    check(question, flags)
    const exitCode = await runAsk(question, flags)
    if (exitCode !== ASK_EXIT.first) throw new ProgramEnd(exitCode)
  } catch (error) {
    if (error instanceof ProgramEnd) throw error
    console.error(askFailure(error, flags))
    const isAway = error instanceof UnreachableError || isPassing(error)
    throw new ProgramEnd(isAway ? ASK_EXIT.unreachable : ASK_EXIT.failed)
  }
}

function check(question: string, { option = [], key }: AskFlags): void {
  if (question.trim() === '') throw new CliError('The question is empty.')
  if (option.some((label) => label.trim() === '')) throw new CliError('--option is empty.')
  if (new Set(option).size < option.length) throw new CliError('Two options are the same. Give each its own label.')
  if (option.length > MOST_OPTIONS) throw new CliError(`At most ${MOST_OPTIONS} options can be given.`)
  if (key === '') throw new CliError('--key is empty. Is a variable not set?')
  if (key !== undefined && key.length > LONGEST_KEY) throw new CliError(`--key has at most ${LONGEST_KEY} characters.`)
}

function askFailure(error: unknown, flags: AskFlags): string {
  if (error instanceof ApiError) {
    if (error.status === 401 || error.status === 403) return notRaiserWords(flags)
    if (error.code === 'duplicate_request')
      return 'This --key was used for another question, with other options or another detail. Use a new key for a new question.'
    if (error.code === 'session_ended') return 'A person has ended this in Holdpoint. Use another --key to ask again.'
  }
  return failureWords(error).words
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
