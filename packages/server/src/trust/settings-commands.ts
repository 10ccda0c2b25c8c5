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
  /**
   * A hook or server runs where the agent is by then, and knows the session's folder as `CLAUDE_PROJECT_DIR`. Of anything
   * else that is not certain.
   */
  readonly by: 'hook' | 'server' | 'other'
}

/** Something that runs files that are not known here, so that a change of those is not seen. */
export interface Unwatched {
  readonly what: string
  readonly why: string
}

/** Settings that run nothing by themselves, and those that are read below. Any other may be a new way to run something. */
const KNOWN_SETTINGS = new Set([
  '$schema',
  'permissions',
  'hooks',
  'env',
  'statusLine',
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'otelHeadersHelper',
  'enabledPlugins',
  'extraKnownMarketplaces',
  'enableAllProjectMcpServers',
  'enabledMcpjsonServers',
  'disabledMcpjsonServers',
  'disableAllHooks',
  'model',
  'availableModels',
  'effortLevel',
  'alwaysThinkingEnabled',
  'outputStyle',
  'language',
  'attribution',
  'includeCoAuthoredBy',
  'cleanupPeriodDays',
  'companyAnnouncements',
  'respectGitignore',
  'spinnerTipsEnabled',
])
/** With any other field it may run something else. */
const HOOK_FIELDS = new Set(['type', 'command', 'args', 'timeout', 'statusMessage', 'async', 'once', 'if'])
const SERVER_FIELDS = new Set(['type', 'command', 'args', 'env', 'timeout'])
/** Settings whose text is a command, beside those that are called that. */
const COMMAND_KEYS = /(Helper|Refresh|Export)$/
/** Variables that decide nothing of what runs. Any other may: there are too many to know. */
const HARMLESS_VARIABLES =
  /^(LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|LOG_LEVEL|PORT|ANTHROPIC_MODEL|MAX_THINKING_TOKENS|BASH_(DEFAULT_TIMEOUT_MS|MAX_TIMEOUT_MS|MAX_OUTPUT_LENGTH)|MCP_(TOOL_)?TIMEOUT|DISABLE_TELEMETRY)$/
const NOT_READ = 'This is not valid JSON.'
const VARIABLE = 'This variable may decide which code runs.'
export const PLUGIN = 'The files of a plugin are not checked.'
const OWN_HOOKS = 'It may define its own hooks, MCP servers or allowed tools in its header, which are not checked.'
const OTHER_SETTING = 'The effect of this setting is not known.'
const OTHER_FOLDER = 'Skills and other files of an added folder are not checked.'
const RULE = 'What this allows runs without asking, even if the files that it runs have changed.'
/** They change nothing and run nothing. */
const READS = /^(Read|Glob|Grep|LS|WebSearch|TodoWrite)\b/
const OTHER_HOOK = 'The decision of this hook does not come from the files in this list.'

export function broughtBySettings(text: string, path: string): Brought {
  return fromText(text, path, (value, out) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, field] of Object.entries(value))
      if (!KNOWN_SETTINGS.has(name)) out.unknown.push({ what: `${name}: ${JSON.stringify(field)}`, why: OTHER_SETTING })
    fromJson(value, '', out)
  })
}

/** Servers, plugins and lists of hooks. */
export function broughtByJson(text: string, path: string): Brought {
  return fromText(text, path, (value, out) => fromJson(value, '', out))
}

function fromText(text: string, path: string, read: (value: unknown, out: Out) => void): Brought {
  const out = createOut()
  try {
    read(JSON.parse(text), out)
  } catch {
    out.words.push(...wordsIn(text))
    out.unknown.push({ what: path, why: NOT_READ })
  }
  return out
}

/** A skill, agent or command: hooks stand at its top, and commands that run with it in its text. */
export function broughtByMarkdown(text: string, path: string): Brought {
  const out = createOut()
  // As Claude Code finds it. What is written in another way there could be a name that is not seen here.
  const [, head = ''] = /^\s*---\s*\n([\s\S]*?)---/.exec(text) ?? []
  out.words.push(...wordsIn(head))
  if (/hooks|mcpServers|allowed-?tools|permissionMode|\\/i.test(head)) out.unknown.push({ what: path, why: OWN_HOOKS })
  // Claude Code wants a blank in front. Without one, what it runs could stand behind what is found here.
  const inText = [...text.matchAll(/(?<!\S)!`([^`]+)`/g), ...text.matchAll(/!`([^`]+)`/g)]
  for (const inline of new Set(inText.map(([, found = '']) => found))) out.commands.push({ run: inline, by: 'other' })
  for (const [, block = ''] of text.matchAll(/```!\s*([\s\S]*?)```/g)) out.commands.push({ run: block, by: 'other' })
  return out
}

function createOut() {
  return { commands: [] as SettingsCommand[], words: [] as string[], code: [] as string[], unknown: [] as Unwatched[] }
}
type Out = ReturnType<typeof createOut>

function fromJson(value: unknown, key: string, out: Out, isServer = false) {
  if (typeof value === 'string') {
    out.words.push(...wordsIn(value))
    if (COMMAND_KEYS.test(key)) out.commands.push({ run: value, by: 'other' })
  } else if (Array.isArray(value)) for (const each of value) fromJson(each, key, out)
  else if (typeof value === 'object' && value !== null) fromObject(value as Record<string, unknown>, key, out, isServer)
}

function fromObject(value: Record<string, unknown>, key: string, out: Out, isServer: boolean) {
  if (typeof value.command === 'string') out.commands.push(...commandsOf(value, value.command, key, isServer))
  if (key === 'hooks' && typeof value.type === 'string' && value.type !== 'command')
    out.unknown.push({ what: JSON.stringify(value), why: OTHER_HOOK })
  for (const [name, field] of Object.entries(value)) {
    if (key === 'env' && !HARMLESS_VARIABLES.test(name)) {
      out.unknown.push({ what: `${name}=${String(field)}`, why: VARIABLE })
      out.code.push(...wordsIn(String(field)))
    }
    if (/^(extraKnown|additional)Marketplaces$/.test(key) || (key === 'enabledPlugins' && field !== false))
      out.unknown.push({ what: name, why: PLUGIN })
    if (key === 'permissions' && name === 'additionalDirectories')
      out.unknown.push({ what: `${name}: ${JSON.stringify(field)}`, why: OTHER_FOLDER })
    if (key === 'permissions' && name === 'allow')
      for (const rule of [field].flat())
        if (!READS.test(String(rule))) out.unknown.push({ what: String(rule), why: RULE })
    if (key === 'mcpServers') fromJson(field, name, out, true)
    // Rules name calls, not files.
    else if (key !== 'permissions') fromJson(field, name, out)
  }
}

function commandsOf(
  { args, ...rest }: Record<string, unknown>,
  command: string,
  key: string,
  isServer: boolean,
): SettingsCommand[] {
  const fields = isServer ? SERVER_FIELDS : HOOK_FIELDS
  const isPlain = Object.keys(rest).every((name) => fields.has(name))
  const by = !isPlain ? 'other' : isServer ? 'server' : key === 'hooks' ? 'hook' : 'other'
  const program = [command, ...(Array.isArray(args) ? args.map(String) : [])]
  if (isServer) return [{ run: program, by }]
  const line = { run: command, by } as const
  if (args === undefined) return [line]
  // Versions that know no hooks with a list of arguments leave the list out, and a shell reads the command.
  return [{ run: program, by }, ...(/\s/.test(command) ? [line] : [])]
}

/** As a shell splits them, and quoted parts as they are, for there may be blanks in a path. */
function wordsIn(given: string): string[] {
  const command = given.replace(/(\$\{CLAUDE_PROJECT_DIR):-[^}]*/g, '$1')
  const inQuotes = [...command.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, double, single]) => double ?? single ?? '')
  return [...command.replace(/["'`]/g, '').split(/[\s;|&()<>=,:]+/), ...inQuotes].filter((word) => word !== '')
}
