import { VERSION } from '@holdpoint/server/system/version'
import { Command, CommanderError } from 'commander'
import { answerCommand } from './answer.ts'
import { ASK_EXIT } from './ask/ask-exit.ts'
import { askCommand } from './ask.ts'
import { asksCommand } from './asks.ts'
import { attachCommand } from './attach.ts'
import { EXIT, ProgramEnd } from './console/cli-error.ts'
import { detachCommand } from './detach.ts'
import { failureWords } from './failure-words.ts'
import { loginCommand } from './login.ts'
import { machinesCommand } from './machines.ts'
import { mcpCommand } from './mcp.ts'
import { migrateCommand } from './migrate.ts'
import { notifyCommand } from './notify.ts'
import { rulesCommand } from './rules.ts'
import { runCommand } from './run.ts'
import { sessionsCommand } from './sessions.ts'
import { startCommand } from './start.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { trustedCommand } from './trusted.ts'
import { verifyCommand } from './verify.ts'

const COMMANDS = [
  startCommand,
  runCommand,
  stopCommand,
  statusCommand,
  sessionsCommand,
  asksCommand,
  answerCommand,
  askCommand,
  mcpCommand,
  rulesCommand,
  notifyCommand,
  attachCommand,
  detachCommand,
  trustedCommand,
  loginCommand,
  machinesCommand,
  verifyCommand,
  migrateCommand,
]

/** Of commands whose exit codes are answers: a wrong option must not be taken for one. */
const USAGE_EXIT: ReadonlyMap<string | undefined, number> = new Map([['ask', ASK_EXIT.failed]])

/** Runs one command and says how it went. Words for people go to stderr, data to stdout. */
export async function runCli(argv: readonly string[]): Promise<number> {
  const program = new Command('holdpoint')
    .description('The one place where your coding agents wait for you.')
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(use --help to list the commands)')
    .enablePositionalOptions()
  for (const command of COMMANDS)
    program.addCommand(command().exitOverride().showHelpAfterError('(use --help for usage)'))
  try {
    await program.parseAsync([...argv])
    return 0
  } catch (error) {
    if (error instanceof ProgramEnd) return error.exitCode
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : (USAGE_EXIT.get(argv[2]) ?? EXIT.usage)
    const { words, exitCode } = failureWords(error)
    console.error(words)
    return exitCode
  }
}
