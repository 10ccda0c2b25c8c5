import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { askYes } from './console/ask-yes.ts'
import { CliError } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly yes?: boolean
  readonly json?: boolean
}

export function confirmCommand(): Command {
  return addressOptions(new Command('confirm'))
    .description('Show what more the policy file would allow, and confirm it.')
    .option('--yes', 'confirm without asking')
    .option('--json', 'print the state of the file as JSON afterwards')
    .addHelpText(
      'after',
      `
A change of the policy file that makes it stricter holds at once. A change that allows more waits until an owner
confirms it.

Example:
  holdpoint rules confirm`,
    )
    .action(confirm)
}

async function confirm(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    const { file } = await api.call(paths.policy.read, {})
    const { path, error, waiting } = file
    if (error !== undefined)
      throw new CliError(
        `${terminalText(path)} cannot be used: ${terminalText(error)} The previous rules stay in force.`,
      )
    if (!waiting) {
      if (flags.json) return console.log(terminalJson(file, 2))
      return console.error(`Nothing in ${terminalText(path)} waits to be confirmed.`)
    }
    for (const line of waitingLines(path, waiting)) console.error(line)
    await askYes('Confirm this?', flags.yes)
    const confirmed = await api.call(paths.policy.confirmFile, { body: { digest: waiting.digest } })
    if (flags.json) console.log(terminalJson(confirmed, 2))
    else console.log(`Confirmed. Rules of the file in force: ${confirmed.rules.length}.`)
  })
}

function waitingLines(path: string, { added, removed }: NonNullable<PolicyState['file']['waiting']>): string[] {
  return [
    `With ${terminalText(path)} as it is now:`,
    ...added.map((rule) => `  allows from now on: ${ruleWords(rule)}`),
    ...removed.map((rule) => `  no longer in force: ${ruleWords(rule)}`),
    ...(added.length + removed.length === 0
      ? ['  nothing changes, but the earlier confirmation could not be read']
      : []),
  ]
}
