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
  /** A line that a shell reads, or a program with its arguments, which no shell reads. */
  readonly run: string | readonly string[]
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
/** Variables that decide which program or which code runs. */
const TELLING_VARIABLES =
  /^(PATH|HOME|CDPATH|ENV|SHELL|BASH_.*|SHELLOPTS|BASHOPTS|IFS|PS4|LD_.*|DYLD_.*|GIT_.*|SSH_.*|XDG_.*|LESS.*|PAGER|EDITOR|VISUAL|NODE_(?!ENV$).*|PYTHON.*|PERL.*|RUBY.*|MAKE.*|(_|JDK_)?JAVA_.*|npm_config_.*)$/i
/** Variables of Claude Code's own that name programs. */
const AGENT_VARIABLES = /^CLAUDE_(CODE_SHELL.*|CODE_GIT_BASH_PATH|CONFIG_DIR|ENV_FILE|PROJECT_DIR)$/
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
    out.commands.push({ run: inline ?? block ?? '', moves: true })
  return out
}

function createOut() {
  return { commands: [] as SettingsCommand[], words: [] as string[], code: [] as string[], unknown: [] as Unwatched[] }
}
type Out = ReturnType<typeof createOut>

function fromJson(value: unknown, key: string, out: Out, isServer = false) {
  if (typeof value === 'string') {
    out.words.push(...wordsIn(value))
    if (COMMAND_KEYS.test(key)) out.commands.push({ run: value, moves: true })
  } else if (Array.isArray(value)) for (const each of value) fromJson(each, key, out)
  else if (typeof value === 'object' && value !== null) fromObject(value as Record<string, unknown>, key, out, isServer)
}

function fromObject(value: Record<string, unknown>, key: string, out: Out, isServer: boolean) {
  if (typeof value.command === 'string') out.commands.push(...commandsOf(value.command, value.args, isServer))
  for (const [name, field] of Object.entries(value)) {
    if (key === 'env' && (TELLING_VARIABLES.test(name) || AGENT_VARIABLES.test(name))) {
      out.unknown.push({ what: `${name}=${String(field)}`, why: VARIABLE })
      out.code.push(...wordsIn(String(field)))
    }
    if (key === 'enabledPlugins' && field !== false) out.unknown.push({ what: name, why: PLUGIN })
    if (key === 'mcpServers') fromJson(field, name, out, true)
    // Rules run nothing.
    else if (name !== 'permissions') fromJson(field, name, out)
  }
}

/** A server is started once, in the session's folder and without a shell. All else runs where the agent is. */
function commandsOf(command: string, args: unknown, isServer: boolean): SettingsCommand[] {
  const program = [command, ...(Array.isArray(args) ? args.map(String) : [])]
  if (isServer) return [{ run: program, moves: false }]
  const line = { run: command, moves: true }
  if (!Array.isArray(args)) return [line]
  // Versions that know no hooks with a list of arguments leave the list out, and a shell reads the command.
  return [{ run: program, moves: true }, ...(/\s/.test(command) ? [line] : [])]
}

/** As a shell splits them, and quoted parts as they are, for there may be blanks in a path. */
function wordsIn(given: string): string[] {
  const command = given.replace(/(\$\{CLAUDE_PROJECT_DIR):-[^}]*/g, '$1')
  const inQuotes = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
  return [...command.replace(/["'`]/g, '').split(/[\s;|&()<>=,:]+/), ...inQuotes].filter((word) => word !== '')
}
