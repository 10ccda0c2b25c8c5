import type { ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import { paths } from '@holdpoint/schema/paths'
import { Command } from 'commander'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly json?: boolean
}

type Suggestions = ReplyOf<typeof paths.policy.suggestions>

export function suggestCommand(): Command {
  return addressOptions(new Command('suggest'))
    .description('Suggest rules for calls that you have often allowed and never denied.')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Nothing is added. Each suggestion ends with the command that adds it.

Example:
  holdpoint rules suggest`,
    )
    .action(suggest)
}

async function suggest(flags: Flags): Promise<void> {
  const found = await withApi(flags, (api) => api.call(paths.policy.suggestions, {}))
  if (flags.json) return console.log(terminalJson(found, 2))
  const { suggestions } = found
  if (suggestions.length === 0) return console.error('There is nothing to suggest yet.')
  for (const { rule, saved } of suggestions) {
    console.log(`${ruleWords(rule)}: would have saved ${saved} asks`)
    console.log(`  ${addLine(rule)}`)
  }
}

function addLine({ effect, pattern, agent, scope }: Suggestions['suggestions'][number]['rule']): string {
  const where = scope.kind === 'project' ? `--project ${quoted(scope.folder)}` : '--everywhere'
  const who = agent === '*' ? '' : ` --agent ${quoted(agent)}`
  return terminalText(`holdpoint rules add --${effect} ${quoted(pattern)} ${where}${who}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
