/** A block of a message's content, as the agent wrote it. */
export interface EntryBlock {
  readonly type: string
  readonly [field: string]: unknown
}

interface Common {
  readonly uuid?: string
  /** Epoch milliseconds; absent when the line has no time, or none that can be read. */
  readonly at?: number
  readonly sessionId?: string
  readonly cwd?: string
  /** Of the subagent that wrote it; absent for the main thread. */
  readonly agentId?: string
}

export interface AssistantEntry extends Common {
  readonly type: 'assistant'
  /** Several entries share it: each carries one block of the message. */
  readonly messageId?: string
  readonly content: readonly EntryBlock[]
  /** Written by Claude Code in the model's place. */
  readonly isSynthetic: boolean
  /** Such a one, to say what went wrong. */
  readonly isError: boolean
}

/** Who decided about a call, as Claude Code notes it beside the result. */
export interface NotedDecision {
  readonly source?: string
  readonly grantScope?: string
}

export interface UserEntry extends Common {
  readonly type: 'user'
  readonly content: readonly EntryBlock[]
  /** Put there by Claude Code, not by a person. */
  readonly isMeta: boolean
  readonly isCompactSummary: boolean
  readonly permissionMode?: string
  readonly denialKind?: string
  readonly decision?: NotedDecision
}

export interface ProgressEntry extends Common {
  readonly type: 'progress'
  readonly kind?: string
  readonly hookEvent?: string
  readonly toolUseIds: readonly string[]
}

export interface ModeEntry extends Common {
  readonly type: 'mode'
  readonly permissionMode: string
}

export interface SystemEntry extends Common {
  readonly type: 'system'
  readonly subtype: string
  readonly text: string
  readonly level?: string
}

export interface TitleEntry extends Common {
  readonly type: 'title'
  readonly source: 'person' | 'agent' | 'summary' | 'last-prompt'
  readonly title: string
}

/** A type that we have no use for. Agents change: it passes. */
export interface OtherEntry extends Common {
  readonly type: 'other'
  readonly name: string
}

export type TranscriptEntry =
  | AssistantEntry
  | UserEntry
  | ProgressEntry
  | ModeEntry
  | SystemEntry
  | TitleEntry
  | OtherEntry

/** A line longer than this is not read: somebody wrote it to be too long, or it holds nothing a person can look at. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Far more than any tool's input has. What is nested deeper cannot be written out again without running out of stack. */
const MAX_DEPTH = 200
const BYTE_ORDER_MARK = '\uFEFF'

/** One line of a transcript; undefined for what is none. Nothing in it is trusted: every field is looked at first. */
export function readEntry(line: Buffer | string): TranscriptEntry | undefined {
  if (line.length > MAX_LINE_BYTES) return undefined
  let text = typeof line === 'string' ? line : line.toString('utf8')
  if (text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
  try {
    return entryOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Built field by field: it is done for every line of files of gigabytes, where spreading costs as much as parsing. */
type Draft<Entry> = { -readonly [Name in keyof Entry]: Entry[Name] }

function entryOf(value: unknown): TranscriptEntry | undefined {
  if (!isFields(value) || typeof value.type !== 'string') return undefined
  const common = commonOf(value)
  switch (value.type) {
    case 'assistant':
      return assistantEntry(common, value)
    case 'user':
      return userEntry(common, value)
    case 'progress':
      return progressEntry(common, value)
    case 'permission-mode':
      return Object.assign(common, { type: 'mode' as const, permissionMode: string(value.permissionMode) ?? 'default' })
    case 'system':
      return systemEntry(common, value)
    case 'custom-title':
      return titleEntry(common, 'person', value.customTitle)
    case 'ai-title':
      return titleEntry(common, 'agent', value.aiTitle)
    case 'summary':
      return titleEntry(common, 'summary', value.summary)
    case 'last-prompt':
      return titleEntry(common, 'last-prompt', value.lastPrompt)
    default:
      return Object.assign(common, { type: 'other' as const, name: value.type })
  }
}

function commonOf(value: Fields): Common {
  const common: Draft<Common> = {}
  const at = typeof value.timestamp === 'string' ? Date.parse(value.timestamp) : Number.NaN
  // Negative or no number at all: not a time.
  if (at >= 0) common.at = at
  for (const name of COMMON_TEXTS) {
    const text = string(value[name])
    if (text !== undefined) common[name] = text
  }
  return common
}

const COMMON_TEXTS = ['uuid', 'sessionId', 'cwd', 'agentId'] as const

function assistantEntry(common: Common, value: Fields): AssistantEntry {
  const { id, model, content } = fieldsOf(value.message)
  const entry: Draft<AssistantEntry> = Object.assign(common, {
    type: 'assistant' as const,
    content: blocksOf(content),
    isSynthetic: model === '<synthetic>',
    isError: value.isApiErrorMessage === true,
  })
  const messageId = string(id)
  if (messageId !== undefined) entry.messageId = messageId
  return entry
}

function userEntry(common: Common, value: Fields): UserEntry {
  const entry: Draft<UserEntry> = Object.assign(common, {
    type: 'user' as const,
    content: blocksOf(fieldsOf(value.message).content),
    isMeta: value.isMeta === true,
    isCompactSummary: value.isCompactSummary === true,
  })
  const permissionMode = string(value.permissionMode)
  const denialKind = string(value.toolDenialKind)
  if (permissionMode !== undefined) entry.permissionMode = permissionMode
  if (denialKind !== undefined) entry.denialKind = denialKind
  if (isFields(value.permissionDecision)) {
    const source = string(value.permissionDecision.source)
    const grantScope = string(value.permissionDecision.grantScope)
    entry.decision = { ...(source !== undefined && { source }), ...(grantScope !== undefined && { grantScope }) }
  }
  return entry
}

function progressEntry(common: Common, value: Fields): ProgressEntry {
  const data = fieldsOf(value.data)
  const toolUseIds = [value.toolUseID, value.parentToolUseID].filter((id) => typeof id === 'string')
  const entry: Draft<ProgressEntry> = Object.assign(common, { type: 'progress' as const, toolUseIds })
  const kind = string(data.type)
  const hookEvent = string(data.hookEvent)
  if (kind !== undefined) entry.kind = kind
  if (hookEvent !== undefined) entry.hookEvent = hookEvent
  return entry
}

function systemEntry(common: Common, value: Fields): SystemEntry {
  const said = { subtype: string(value.subtype) ?? '', text: string(value.content) ?? '' }
  const entry: Draft<SystemEntry> = Object.assign(common, { type: 'system' as const, ...said })
  const level = string(value.level)
  if (level !== undefined) entry.level = level
  return entry
}

function titleEntry(common: Common, source: TitleEntry['source'], title: unknown): TitleEntry {
  return Object.assign(common, { type: 'title' as const, source, title: string(title) ?? '' })
}

/** A message's content is a string or blocks; a string is a block of text. */
function blocksOf(content: unknown): EntryBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.filter(
    (block): block is EntryBlock => isFields(block) && typeof block.type === 'string' && !isTooDeep(block),
  )
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Without recursion, which is what it is there to prevent. */
function isTooDeep(value: object): boolean {
  let level: object[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    const next: object[] = []
    for (const parent of level) {
      for (const child of Object.values(parent)) if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return false
}
