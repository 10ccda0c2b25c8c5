import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { findByAbbreviation } from './abbreviation.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

export function removeCommand(): Command {
  return addressOptions(new Command('remove'))
    .description('Remove a rule. It has no effect from then on. Asks that are already open stay open.')
    .argument('<rule>', 'id of a rule, or at least four characters of its beginning or end')
    .addHelpText(
      'after',
      `
Example:
  holdpoint rules remove 3k2j1h`,
    )
    .action(remove)
}

async function remove(given: string, flags: AddressFlags): Promise<void> {
  await withApi(flags, async (api) => {
    const { rules, unreadable, file } = await api.call(paths.policy.read, {})
    if (unreadable.includes(given)) {
      await api.call(paths.policy.remove, { params: { id: given } })
      return console.log(`${terminalText(given)} removed.`)
    }
    const rule = findByAbbreviation([...rules, ...file.rules], given)
    if (!rule) throw new CliError(`There is no rule "${terminalText(given)}". "holdpoint rules list" lists them.`)
    if (!rules.some(({ id }) => id === rule.id))
      throw new CliError(`This rule is in ${terminalText(file.path)}. Remove it there.`, EXIT.refused)
    await api.call(paths.policy.remove, { params: { id: rule.id } })
    console.log(`Removed: ${ruleWords(rule)}`)
  })
}
