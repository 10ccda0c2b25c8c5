import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallInput, ReplyOf } from '@holdpoint/schema/endpoints/endpoints'
import { paths } from '@holdpoint/schema/paths'
import type { RuleScope } from '@holdpoint/schema/policy'
import { Command } from 'commander'
import { settingsPath } from './attach/settings-file.ts'
import { askYes } from './console/ask-yes.ts'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalJson, terminalText } from './console/terminal-text.ts'
import type { AddressFlags } from './gateway-address.ts'
import { jsonObject } from './json-object.ts'
import { projectFolder } from './project-folder.ts'
import { ruleWords } from './rule-words.ts'
import { addressOptions, withApi } from './with-api.ts'

interface Flags extends AddressFlags {
  readonly project?: string
  readonly dryRun?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

type Body = CallInput<typeof paths.policy.import>['body']
type Imported = ReplyOf<typeof paths.policy.import>

export function importCommand(): Command {
  return addressOptions(new Command('import'))
    .description("Add the rules of Claude Code's settings, or of a policy file.")
    .argument(
      '[file]',
      'settings of Claude Code, or what "holdpoint rules export" has printed (default: the user\'s settings)',
    )
    .option('--project <folder>', "import the settings in this folder's .claude; the rules hold only in this folder")
    .option('--dry-run', 'show what would be added, and add nothing')
    .option('--yes', 'add the rules without asking')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Shows the rules first, and the rules that cannot be imported, with the reason. An imported rule never allows more than
the original: a bare Bash, or a * inside a word, is listed and left out. The settings themselves are not changed, and
still hold for Claude Code.

Examples:
  holdpoint rules import --dry-run
  holdpoint rules import --project ~/project`,
    )
    .action(importRules)
}

async function importRules(file: string | undefined, flags: Flags): Promise<void> {
  const bodies = bodiesOf(file, flags)
  await withApi(flags, async (api) => {
    const bring = async (apply: boolean) => {
      const replies: Imported[] = []
      for (const body of bodies) replies.push(await api.call(paths.policy.import, { body: { ...body, apply } }))
      return joined(replies, apply)
    }
    const found = await bring(false)
    const print = (imported: Imported) =>
      console.log(flags.json ? terminalJson(imported, 2) : importedLines(imported).join('\n'))
    if (flags.dryRun || found.added.length === 0) return print(found)
    if (!flags.json) print(found)
    const count = found.added.length === 1 ? 'this rule' : `these ${found.added.length} rules`
    await askYes(`Add ${count}?`, flags.yes)
    const added = await bring(true)
    if (flags.json) print(added)
    else console.log(`${added.added.length} added.`)
  })
}

function joined(replies: readonly Imported[], applied: boolean): Imported {
  return {
    added: replies.flatMap(({ added }) => added),
    known: replies.flatMap(({ known }) => known),
    notMapped: replies.flatMap(({ notMapped }) => notMapped),
    applied,
  }
}

function bodiesOf(file: string | undefined, { project }: Flags): Body[] {
  const folder = project === undefined ? undefined : projectFolder(project)
  const scope: RuleScope = folder === undefined ? { kind: 'everywhere' } : { kind: 'project', folder }
  if (file !== undefined) return [bodyOf(file, scope)]
  if (folder === undefined) return [bodyOf(settingsPath(undefined), scope)]
  const found = ['settings.json', 'settings.local.json'].map((name) => join(folder, '.claude', name)).filter(existsSync)
  if (found.length === 0) throw new CliError(`There are no settings of Claude Code in ${folder}.`)
  return found.map((path) => bodyOf(path, scope))
}

function bodyOf(path: string, scope: RuleScope): Body {
  const content = jsonOf(path)
  if ('rules' in content)
    return { format: 'holdpoint', file: content as Extract<Body, { format: 'holdpoint' }>['file'] }
  // The rest of the settings may hold secrets, and is nobody else's business.
  return { format: 'claude-code', settings: { permissions: content.permissions }, scope }
}

function jsonOf(path: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CliError(code === 'ENOENT' ? `There is no ${path}.` : `${path} cannot be read (${code}).`, EXIT.usage)
  }
  const value = jsonObject(text.replace(/^\uFEFF/, ''))
  if (value) return value
  throw new CliError(`${path} is not a JSON object.`, EXIT.usage)
}

function importedLines({ added, known, notMapped }: Imported): string[] {
  const list = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [head, ...lines.map((line) => `  ${line}`)]
  return [
    ...list('To be added:', added.map(ruleWords)),
    ...list('Already there:', known.map(ruleWords)),
    ...list(
      'Left out:',
      notMapped.map(({ rule, why }) => `${terminalText(rule)}: ${terminalText(why)}`),
    ),
    ...(added.length === 0 ? ['There is nothing to add.'] : []),
  ]
}
