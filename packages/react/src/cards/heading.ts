import type { Ask } from '@holdpoint/schema/ask'

/** What a card is about, from the facts alone; the agent's own words never get here (T27). */
export interface Heading {
  /** The tool's name, or the kind of ask. */
  readonly tool: string
  /** What it is about, in one line. */
  readonly subject?: string
  /** The subject is a fact (a path, an address) rather than our own words. */
  readonly exact: boolean
}

export function headingOf(ask: Ask): Heading {
  switch (ask.kind) {
    case 'approval':
      return approvalHeading(ask)
    case 'question': {
      const count = ask.questions?.length ?? 0
      return {
        tool: 'Question',
        subject: count > 1 ? `${count} questions for you` : 'A question for you',
        exact: false,
      }
    }
    case 'plan':
      return { tool: 'Plan', subject: 'Ready to continue?', exact: false }
    case 'form':
      return {
        tool: ask.form?.mode === 'url' ? 'Link' : 'Form',
        subject: ask.raisedBy === undefined ? `from the MCP server ${ask.form?.server ?? ''}` : 'from a program',
        exact: false,
      }
    default:
      return ask.kind satisfies never
  }
}

function approvalHeading(ask: Ask): Heading {
  const { context } = ask
  const tool = toolName(ask)
  if (ask.omitted) return { tool, subject: 'Large: not loaded yet', exact: false }
  if (context.command !== undefined) return { tool, subject: 'Run a command', exact: false }
  if (context.filePath !== undefined) return { tool, subject: shortPath(context.filePath, context.cwd), exact: true }
  if (context.url !== undefined) return { tool, subject: hostOf(context.url) ?? 'Open an address', exact: true }
  if (context.query !== undefined) return { tool, subject: 'Search the web', exact: false }
  return { tool, exact: false }
}

/** An MCP tool without the prefix that names its server, which the card says apart. */
function toolName(ask: Ask): string {
  const name = ask.tool?.name ?? 'Approval'
  const prefix = ask.tool?.mcpServer && `mcp__${ask.tool.mcpServer.name}__`
  return prefix && name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : name
}

/** A path as seen from a folder it is in; any other path whole. */
export function shortPath(path: string, folder: string | undefined): string {
  if (folder === undefined) return path
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}

/** The last two parts of a folder's path. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).slice(-2).join('/') || path
}

/** The host as it will be reached: other scripts come out in their ASCII form, a user name in front is not part. */
export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host || undefined : undefined
}

/** One line that says what was asked, for lists and settled cards. */
export function factOf(ask: Ask): string {
  if (ask.omitted) return ask.title
  switch (ask.kind) {
    case 'approval':
      return approvalFact(ask)
    case 'question':
      return ask.questions?.map((entry) => entry.header ?? entry.question).join(' · ') ?? ''
    case 'plan':
      return 'Plan'
    case 'form':
      return ask.form?.server ?? ''
    default:
      return ask.kind satisfies never
  }
}

function approvalFact(ask: Ask): string {
  const { context } = ask
  if (context.command !== undefined) return context.command
  const subject =
    context.filePath !== undefined ? shortPath(context.filePath, context.cwd) : (context.url ?? context.query)
  return subject === undefined ? toolName(ask) : `${toolName(ask)} ${subject}`
}
