import { Command } from 'commander'
import { addCommand } from './rules-add.ts'
import { confirmCommand } from './rules-confirm.ts'
import { exportCommand } from './rules-export.ts'
import { importCommand } from './rules-import.ts'
import { listCommand } from './rules-list.ts'
import { removeCommand } from './rules-remove.ts'
import { suggestCommand } from './rules-suggest.ts'
import { testCommand } from './rules-test.ts'

const COMMANDS = [
  listCommand,
  addCommand,
  removeCommand,
  testCommand,
  importCommand,
  exportCommand,
  suggestCommand,
  confirmCommand,
]

export function rulesCommand(): Command {
  const rules = new Command('rules')
    .description('Rules about what agents may do: list, add, remove, test, import and export them.')
    .addHelpText(
      'after',
      `
A rule allows, denies or asks about calls: Bash(git status), Bash(git push *), Edit(src/**), Read(~/notes/**),
WebFetch(domain:example.com), mcp__server__tool, or the name of a tool. It holds in every permission mode.
deny beats ask, ask beats allow, and a call is allowed only if rules allow every part of it.

Examples:
  holdpoint rules add --ask 'Bash(git push *)' --everywhere
  holdpoint rules test 'git status && rm x'`,
    )
  for (const command of COMMANDS)
    rules.addCommand(command().exitOverride().showHelpAfterError('(use --help for usage)'))
  return rules
}
