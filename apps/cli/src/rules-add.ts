import type { NewRule } from '@holdpoint/schema/endpoints/policy'
import { paths } from '@holdpoint/schema/paths'
import type { Effect } from '@holdpoint/schema/policy'
import { Command } from 'commander'
import { shortId } from './abbreviation.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import { duration } from './duration.ts'
import type { AddressFlags } from './gateway-address.ts'
import { projectFolder } from './project-folder.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags, Partial<Record<Effect, string>> {
  readonly project?: string
  readonly everywhere?: boolean
  readonly until?: number
  readonly agent: string
  readonly why?: string
  readonly match: readonly string[]
  readonly notMatch: readonly string[]
  readonly json?: boolean
}

export function addCommand(): Command {
  return addressOptions(new Command('add'))
    .description('Add a rule.')
    .option('--allow <pattern>', 'calls that run without asking')
    .option('--ask <pattern>', 'calls that a person is asked about, in every mode')
    .option('--deny <pattern>', 'calls that are refused')
    .option('--project <folder>', 'the rule holds in this folder (default: the current one)')
    .option('--everywhere', 'the rule holds in every folder')
    .option('--until <time>', 'the rule expires after this time, such as 15m, 2h or 1d (default: never)', duration)
    .option('--agent <kind>', 'the rule holds for this kind of agent, such as claude; * for all', '*')
    .option('--why <text>', 'the reason, shown with the rule')
    .option('--match <call>', 'a command, path or URL that the rule must match (repeatable)', collected, [])
    .option('--not-match <call>', 'one that it must not match (repeatable)', collected, [])
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
A pattern is compared word by word, not character by character. A * matches one word; at the end it matches any number
of words. A rule is refused if its pattern is not valid, or if it fails its --match and --not-match tests.

Examples:
  holdpoint rules add --allow 'Bash(git log *)' --match 'git log -5' --not-match 'git log --output=x'
  holdpoint rules add --deny 'Bash(git push --force *)' --everywhere --why 'Others work on these branches'
  holdpoint rules add --allow 'Edit(src/**)' --until 15m`,
    )
    .action(add)
}

function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value]
}

async function add(flags: Flags): Promise<void> {
  const body = newRule(flags)
  await withApi(flags, async (api) => {
    const rule = await api.call(paths.policy.add, { body })
    if (flags.json) console.log(terminalJson(rule, 2))
    else console.log(`${shortId(rule.id)} added: ${ruleWords(rule)}`)
    const { warnings } = await api.call(paths.policy.read, {})
    for (const { text } of warnings.filter((warning) => warning.rule === rule.id))
      console.error(`Warning: ${terminalText(text)}`)
  })
}

function newRule(flags: Flags): NewRule {
  const given = (['allow', 'ask', 'deny'] as const).flatMap((effect) => {
    const pattern = flags[effect]
    return pattern === undefined ? [] : [{ effect, pattern }]
  })
  const [rule, ...more] = given
  if (!rule || more.length > 0)
    throw new CliError('Give one of --allow, --ask and --deny, with its pattern.', EXIT.usage)
  if (flags.everywhere && flags.project !== undefined)
    throw new CliError('Give --project or --everywhere, not both.', EXIT.usage)
  const { agent, why, until, match, notMatch } = flags
  return {
    ...rule,
    agent,
    scope: flags.everywhere ? { kind: 'everywhere' } : { kind: 'project', folder: projectFolder(flags.project ?? '.') },
    ...(until !== undefined && { until: Date.now() + until }),
    ...(match.length > 0 && { match: [...match] }),
    ...(notMatch.length > 0 && { notMatch: [...notMatch] }),
    ...(why !== undefined && { why }),
  }
}
