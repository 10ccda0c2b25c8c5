import { Command, CommanderError } from 'commander'
import { VERSION } from '@holdpoint/server/version'
import { CliError, EXIT } from './cli-error.ts'
import { startCommand } from './start.ts'

/** Runs one command and says how it went. Words for people go to stderr, data to stdout. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const program = new Command('holdpoint')
    .description('The one place where your coding agents wait for you.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(holdpoint --help lists the commands)')
  for (const command of [startCommand()]) program.addCommand(command.exitOverride())
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
    if (error instanceof CliError) {
      console.error(error.message)
      return error.exitCode
    }
    console.error(`Something went wrong: ${error instanceof Error ? error.message : String(error)}`)
    return EXIT.failure
  }
}
