import type { TranscriptEntry } from './entry.ts'

/** What Claude Code writes down of commands that are its own: no turn begins with them. */
const OWN_COMMAND = /^<(command-|local-command-)/
const INTERRUPTED = /^\[Request interrupted by user/

/**
 * Whether the agent has said its last word for now, as far as this entry tells: undefined for one that tells nothing of it.
 * A subagent's is not asked for.
 */
export function isLastWord(entry: TranscriptEntry): boolean | undefined {
  if (entry.agentId !== undefined) return undefined
  if (entry.type === 'assistant') {
    if (entry.content.some(({ type }) => type === 'tool_use')) return false
    return entry.content.some(({ type }) => type === 'text') ? true : undefined
  }
  if (entry.type !== 'user' || entry.isMeta || entry.isCompactSummary) return undefined
  const [first] = entry.content
  const text = typeof first?.text === 'string' ? first.text : ''
  if (OWN_COMMAND.test(text)) return undefined
  return INTERRUPTED.test(text)
}
