import type { EntryBlock, UserEntry } from './entry.ts'

/** How a tool call ended, as far as the transcript tells. */
export type CallEnd =
  /** It took place. `allowedBy` says who let it: a person at the terminal, or settings and rules. */
  | {
      readonly kind: 'ran'
      readonly isError: boolean
      readonly allowedBy?: 'person' | 'settings'
      /** Claude Code's word for how far a person's yes reaches: `once`, `session` … */
      readonly grantScope?: string
    }
  /** A person said no at the terminal. */
  | { readonly kind: 'denied'; readonly message?: string }
  /** Nobody was asked: a rule, or Claude Code itself, said no. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'interrupted' }
  /** The conversation went on without a result. */
  | { readonly kind: 'dropped' }

const DENIED = "The user doesn't want to proceed with this tool use."
const DENIED_BEFORE_IT_RAN = "The user doesn't want to take this action right now."
/** Claude Code puts these words before what a person wrote. */
const PERSONS_WORDS = /the user said:\n([\s\S]*)$/

export function callEnd(toolName: string, result: EntryBlock, entry: UserEntry): CallEnd {
  const text = textOf(result.content)
  const { denialKind, decision } = entry
  if (denialKind === 'user-rejected' || decision?.source === 'user_reject') return denied(text)
  if (denialKind === 'interrupted' || denialKind === 'cancelled') return { kind: 'interrupted' }
  if (denialKind !== undefined) return { kind: 'refused', why: denialKind }
  if (isDenialText(toolName, result, entry, text)) return denied(text)
  const allowedBy = decision?.source?.startsWith('user') ? 'person' : decision?.source && 'settings'
  return {
    kind: 'ran',
    isError: result.is_error === true,
    ...(allowedBy && { allowedBy }),
    ...(decision?.grantScope !== undefined && { grantScope: decision.grantScope }),
  }
}

function denied(text: string): CallEnd {
  const isStock = text.startsWith(DENIED) || text.startsWith(DENIED_BEFORE_IT_RAN)
  const message = (isStock ? PERSONS_WORDS.exec(text)?.[1] : text)?.trim()
  return { kind: 'denied', ...(message && { message }) }
}

/**
 * Only for transcripts that say it in words alone. The result of an MCP tool is written by its server, which could make
 * a call that ran look like one that was denied.
 */
function isDenialText(toolName: string, result: EntryBlock, { decision }: UserEntry, text: string): boolean {
  if (decision !== undefined || result.is_error !== true || toolName.startsWith('mcp__')) return false
  return text.startsWith(DENIED) || text.startsWith(DENIED_BEFORE_IT_RAN)
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('\n')
}
