import { type CallEnd, callEnd } from '../transcript/call-end.ts'
import { readEntry, type TranscriptEntry } from '../transcript/entry.ts'
import type { KnownCall } from './call-book.ts'

/** Who let a call happen, or not. */
export type DecidedBy = 'hook' | 'person' | 'settings'

/** What a line of a transcript says about a tool call. */
export type CallFact =
  | { readonly type: 'called'; readonly call: KnownCall }
  /** Claude Code has taken a hook's decision about this call. */
  | { readonly type: 'hook-decided'; readonly toolUseId: string; readonly isAllowed: boolean }
  | {
      readonly type: 'ended'
      readonly toolUseId: string
      readonly end: CallEnd
      readonly by?: DecidedBy
      /** What was answered to questions, by the question's wording. */
      readonly answers?: Readonly<Record<string, unknown>>
    }

export interface LineFacts {
  readonly entry?: TranscriptEntry
  readonly facts: readonly CallFact[]
}

const ANSWERS = Buffer.from('"answers"')
const HOOK_DECISION = Buffer.from('"hook_permission_decision"')

export function lineFacts(line: Buffer, nameOf: (toolUseId: string) => string | undefined): LineFacts {
  if (line.includes(HOOK_DECISION)) {
    const fact = hookDecision(line)
    if (fact) return { facts: [fact] }
  }
  const entry = readEntry(line)
  if (!entry) return { facts: [] }
  const facts = factsOf(entry, nameOf)
  const answers = facts[0]?.type === 'ended' && line.includes(ANSWERS) ? answersIn(line) : undefined
  return { entry, facts: answers ? facts.map((fact) => (fact.type === 'ended' ? { ...fact, answers } : fact)) : facts }
}

function factsOf(entry: TranscriptEntry, nameOf: (toolUseId: string) => string | undefined): CallFact[] {
  if (entry.type === 'assistant')
    return entry.content.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' && typeof id === 'string' && typeof name === 'string'
        ? [{ type: 'called', call: { toolUseId: id, name, input, agentId: entry.agentId } }]
        : [],
    )
  if (entry.type !== 'user') return []
  return entry.content.flatMap((block): CallFact[] => {
    const { type, tool_use_id: toolUseId } = block
    if (type !== 'tool_result' || typeof toolUseId !== 'string') return []
    const end = callEnd(nameOf(toolUseId) ?? '', block, entry)
    const by = decider(entry.decision?.source, end)
    return [{ type: 'ended', toolUseId, end, ...(by && { by }) }]
  })
}

function decider(source: string | undefined, end: CallEnd): DecidedBy | undefined {
  if (source === 'hook') return 'hook'
  if (source?.startsWith('user') || end.kind === 'denied') return 'person'
  return source === undefined ? undefined : 'settings'
}

function answersIn(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  const { toolUseResult } = JSON.parse(line.toString('utf8')) as { toolUseResult?: { answers?: unknown } }
  const answers = toolUseResult?.answers
  return typeof answers === 'object' && answers !== null ? (answers as Record<string, unknown>) : undefined
}

function hookDecision(line: Buffer): CallFact | undefined {
  try {
    const { attachment } = JSON.parse(line.toString('utf8')) as { attachment?: Record<string, unknown> }
    const { type, toolUseID: toolUseId, decision, hookEvent } = attachment ?? {}
    if (type !== 'hook_permission_decision' || hookEvent !== 'PermissionRequest') return undefined
    if (typeof toolUseId !== 'string') return undefined
    return { type: 'hook-decided', toolUseId, isAllowed: decision === 'allow' }
  } catch {
    return undefined
  }
}
