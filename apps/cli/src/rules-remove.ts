import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { findByAbbreviation } from './abbreviation.ts'
import { askYes } from './console/ask-yes.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

export function removeCommand(): Command {
  return addressOptions(new Command('remove'))
    .description('Remove a rule. It has no effect from then on. Asks that are already open stay open.')
    .argument('[rule]', 'id of a rule, or at least four characters of its beginning or end')
    .option('--starter', 'remove the rules of the starter set that were not edited')
    .option('--yes', 'remove the starter set without asking')
    .addHelpText(
      'after',
      `
Examples:
  holdpoint rules remove 3k2j1h
  holdpoint rules remove --starter`,
    )
    .action(remove)
}

interface Flags extends AddressFlags {
  readonly starter?: boolean
  readonly yes?: boolean
}

async function remove(given: string | undefined, flags: Flags): Promise<void> {
  if ((given === undefined) !== (flags.starter === true))
    throw new CliError('Name a rule, or use --starter for the rules of the starter set.', EXIT.usage)
  await (given === undefined ? removeStarter(flags) : removeOne(given, flags))
}

async function removeStarter(flags: Flags): Promise<void> {
  await withApi(flags, async (api) => {
    const { fromStarter: rules } = await api.call(paths.policy.read, {})
    const count = `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'} of the starter set`
    if (rules.length === 0) throw new CliError('There are no rules of the starter set, or all of them were edited.')
    await askYes(`Remove ${count}? Calls about which they ask may then run without asking.`, flags.yes)
    await api.call(paths.policy.removeStarter, { body: { rules } })
    console.log(`${count} removed.`)
  })
}

async function removeOne(given: string, flags: AddressFlags): Promise<void> {
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
