import { paths } from '@holdpoint/schema/paths'
import { Command, Option } from 'commander'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { projectFolder } from './project-folder.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly format: 'holdpoint' | 'claude-code'
  readonly project?: string
}

export function exportCommand(): Command {
  return addressOptions(new Command('export'))
    .description("Print the rules as a policy file, or as permissions of Claude Code's settings.")
    .addOption(
      new Option('--format <name>', 'what to print').choices(['holdpoint', 'claude-code']).default('holdpoint'),
    )
    .option(
      '--project <folder>',
      'with claude-code: rules for the settings of this folder (default: for your user settings)',
    )
    .addHelpText(
      'after',
      `
JSON goes to stdout. Rules that cannot be exported go to stderr, with the reason. For Claude Code, allow rules with a *
are left out: Claude Code compares them less strictly, so they would allow more.

Examples:
  holdpoint rules export > policy.json
  holdpoint rules export --format claude-code --project .`,
    )
    .action(exportRules)
}

async function exportRules(flags: Flags): Promise<void> {
  const { format, project } = flags
  if (project !== undefined && format !== 'claude-code')
    throw new CliError('--project works only with --format claude-code.', EXIT.usage)
  const folder = project === undefined ? undefined : projectFolder(project)
  const { content, notMapped } = await withApi(flags, (api) =>
    api.call(paths.policy.export, { query: { format, folder } }),
  )
  console.log(terminalJson(content, 2))
  for (const { rule, why } of notMapped) console.error(`Left out: ${terminalText(rule)}: ${terminalText(why)}`)
}
