import { decidesWhatRuns } from '@holdpoint/core/shell/commands-in'

/** What a file of settings makes Claude Code run. */
export interface Brought {
  readonly commands: readonly SettingsCommand[]
  /** Words that may name programs, wherever they stand. */
  readonly words: readonly string[]
  /** Words that name code if they name a file at all. */
  readonly code: readonly string[]
  /** What runs files that cannot be told from it. */
  readonly unknown: readonly Unwatched[]
}

export interface SettingsCommand {
  readonly line: string
  /** Whether it runs in the folder that the agent is in at that moment. */
  readonly moves: boolean
}

/** Something that runs files that are not known here, so that a change of those is not seen. */
export interface Unwatched {
  readonly what: string
  readonly why: string
}

/** Settings whose text is a command, beside those that are called that. */
const COMMAND_KEYS = /(Helper|Refresh|Export)$/
/** Variables of Claude Code's own that name programs. */
const AGENT_VARIABLES = /^CLAUDE_(CODE_SHELL.*|CODE_GIT_BASH_PATH|CONFIG_DIR|ENV_FILE)$/
const NOT_READ = 'It cannot be read as JSON here.'
const VARIABLE = 'This variable decides which code runs.'
const PLUGIN = 'The files of a plugin are not looked at here.'
const OWN_HOOKS = 'It has hooks or MCP servers of its own at its top, which are not read here.'

export function broughtByJson(text: string, path: string): Brought {
  const out = createOut()
  try {
    fromJson(JSON.parse(text), '', out)
  } catch {
    out.words.push(...wordsIn(text))
    out.unknown.push({ what: path, why: NOT_READ })
  }
  return out
}

/** A skill, agent or command: hooks stand at its top, and commands that run with it in its text. */
export function broughtByMarkdown(text: string, path: string): Brought {
  const out = createOut()
  const [, head = ''] = /^\s*---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  out.words.push(...wordsIn(head))
  if (/\b(hooks|mcpServers)\b["']?\s*:/.test(head)) out.unknown.push({ what: path, why: OWN_HOOKS })
  for (const [, inline, block] of text.matchAll(/!`([^`]+)`|```!\s*\n([\s\S]*?)```/g))
    out.commands.push({ line: inline ?? block ?? '', moves: true })
  return out
}

function createOut() {
  return { commands: [] as SettingsCommand[], words: [] as string[], code: [] as string[], unknown: [] as Unwatched[] }
}
type Out = ReturnType<typeof createOut>

function fromJson(value: unknown, key: string, out: Out) {
  if (typeof value === 'string') {
    out.words.push(...wordsIn(value))
    if (COMMAND_KEYS.test(key)) out.commands.push({ line: value, moves: true })
  } else if (Array.isArray(value)) for (const each of value) fromJson(each, key, out)
  else if (typeof value === 'object' && value !== null) fromObject(value as Record<string, unknown>, key, out)
}

function fromObject(value: Record<string, unknown>, key: string, out: Out) {
  if (typeof value.command === 'string') out.commands.push(...commandsOf(value.command, value.args))
  for (const [name, field] of Object.entries(value)) {
    if (key === 'env' && (decidesWhatRuns(name) || AGENT_VARIABLES.test(name))) {
      out.unknown.push({ what: `${name}=${String(field)}`, why: VARIABLE })
      out.code.push(...wordsIn(String(field)))
    }
    if (key === 'enabledPlugins' && field !== false) out.unknown.push({ what: name, why: PLUGIN })
    // Rules run nothing.
    if (name !== 'permissions') fromJson(field, name, out)
  }
}

/** With a list of arguments no shell reads it: it is a program's name. A hook's may be a whole line all the same. */
function commandsOf(command: string, args: unknown): SettingsCommand[] {
  const line = { line: command, moves: true }
  if (!Array.isArray(args)) return [line]
  const started = { line: [command, ...args.map(String)].map(quoted).join(' '), moves: false }
  return /\s/.test(command) ? [started, line] : [started]
}

/** A word as it is; one that Claude Code replaces is known only when it runs. */
function quoted(word: string): string {
  return word.includes('${') ? '"$it"' : `'${word.replaceAll("'", `'\\''`)}'`
}

/** As a shell splits them, and quoted parts as they are, for there may be blanks in a path. */
function wordsIn(command: string): string[] {
  const inQuotes = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
  return [...command.replace(/["'`]/g, '').split(/[\s;|&()<>=,:]+/), ...inQuotes].filter((word) => word !== '')
}
