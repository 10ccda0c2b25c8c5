/** What Claude Code 2.1 allows for one call of a tool, and for a call that it hears nothing of. */
const TOTAL_MS = 100_000_000
const SILENT_MS = 1_800_000
/** Our no has to be there before the client gives up: it would tell the agent of a broken server. */
const EARLIER_MS = 5000
const SHORTEST_MS = 1000

/** How long a call can be held: as long as its client waits, or less where somebody says so. */
export function holdMs(options: {
  readonly limitMs: number | undefined
  /** Whether the client takes progress as a sign of life. */
  readonly hearsProgress: boolean
  readonly environment: NodeJS.ProcessEnv
}): number {
  const { limitMs, environment } = options
  const total = milliseconds(environment.MCP_TOOL_TIMEOUT) ?? TOTAL_MS
  const silent = milliseconds(environment.CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT) ?? SILENT_MS
  const client = options.hearsProgress ? total : Math.min(total, silent)
  return Math.max(SHORTEST_MS, Math.min(limitMs ?? client, client - EARLIER_MS))
}

function milliseconds(text: string | undefined): number | undefined {
  const number = Number(text)
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined
}
