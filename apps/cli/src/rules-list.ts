import { resolve } from 'node:path'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { ruleTable } from './rule-table.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly project?: string
  readonly json?: boolean
}

export function listCommand(): Command {
  return addressOptions(new Command('list'))
    .description('List the rules, including those of the policy file and of a repository.')
    .option('--project <folder>', 'folder whose own policy file is listed too (default: the current one)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
SOURCE:
  app         made in the app, with this command or over the API
  file        the policy file of the gateway
  file of …   the policy file of another machine: what asks or denies in it holds on all machines
  waits       in the policy file, but not in force until you confirm it ("holdpoint rules confirm")
  removed     removed from the policy file, but in force until you confirm that
  repository  .holdpoint/policy.json of the folder; it can only ask or deny

Example:
  holdpoint rules list --json`,
    )
    .action(list)
}

async function list(flags: Flags): Promise<void> {
  const folder = resolve(flags.project ?? '.')
  const policy = await withApi(flags, (api) => api.call(paths.policy.read, { query: { folder } }))
  if (flags.json) return console.log(terminalJson(policy, 2))
  const rows = ruleTable(policy, { now: Date.now(), columns: process.stdout.columns })
  if (rows.length > 0) console.log(rows.join('\n'))
  else console.error('There are no rules. The page Rules of the app offers a starter set.')
  for (const line of notes(policy)) console.error(line)
}

/** What a person should know besides the rules. */
function notes({ file, otherFiles = [], repository, unreadable, warnings }: PolicyState): string[] {
  const lines = warnings.map(({ text }) => `Warning: ${terminalText(text)}`)
  if (unreadable.length > 0)
    lines.push(
      `Every call asks, because saved rules cannot be read. Remove them: ${unreadable.map(terminalText).join(', ')}`,
    )
  if (file.error !== undefined)
    lines.push(
      `${terminalText(file.path)} cannot be used, so its previous rules stay in force: ${terminalText(file.error)}`,
    )
  if (file.waiting) lines.push('The policy file has changes that wait for your confirmation: holdpoint rules confirm')
  for (const { machine, file: other } of otherFiles) {
    const where = `${terminalText(other.path)} of ${terminalText(machine.name)}`
    if (other.error !== undefined)
      lines.push(`${where} cannot be used, so its previous rules stay in force: ${terminalText(other.error)}`)
    if (other.waiting)
      lines.push(`${where} has changes that wait. Confirm them on that machine: holdpoint rules confirm`)
  }
  if (repository?.error !== undefined)
    lines.push(
      `Every call in this folder asks, because ${terminalText(repository.path)} cannot be used: ${terminalText(repository.error)}`,
    )
  for (const pattern of repository?.ignored ?? [])
    lines.push(`Ignored, because a repository cannot allow anything: allow ${terminalText(pattern)}`)
  return lines
}
