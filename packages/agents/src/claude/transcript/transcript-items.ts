import { createHash } from 'node:crypto'
import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import type { NewItem } from '@holdpoint/core/driver'
import { idOfHash } from '@holdpoint/schema/id'
import type { Item } from '@holdpoint/schema/item'
import { agentEvents } from '../sdk/agent-messages.ts'
import { personsWords } from '../sdk/persons-words.ts'
import type { AssistantEntry, EntryBlock, SystemEntry, TranscriptEntry, UserEntry } from './entry.ts'

export interface ItemSource {
  /** The call that sent the subagent out, when the entry is a subagent's and the call is known. */
  readonly subagent?: string
}

/** What an entry adds to the thread; the same items that the agent's own messages would give. */
export function entryItems(entry: TranscriptEntry, source: ItemSource = {}): NewItem[] {
  switch (entry.type) {
    case 'assistant':
      return assistantItems(entry, source)
    case 'user':
      return userItems(entry, source)
    case 'system':
      return systemItems(entry)
    default:
      return []
  }
}

/** With identity: the same entry gives the same ids, however often and from wherever it is read. */
export function identifiedItems(entry: TranscriptEntry, place: ItemSource & { readonly offset: number }): Item[] {
  return entryItems(entry, place).map((item, index) => {
    const name = `${entry.sessionId ?? ''}/${entry.uuid ?? place.offset}/${index}`
    const hash = createHash('sha256').update(name).digest()
    return { id: idOfHash('itm', hash), at: entry.at ?? 0, ...item } as Item
  })
}

function assistantItems(entry: AssistantEntry, source: ItemSource): NewItem[] {
  if (entry.isError) return notices('error', textOf(entry.content))
  if (entry.isSynthetic) return []
  return messageItems('assistant', entry, source)
}

function userItems(entry: UserEntry, source: ItemSource): NewItem[] {
  if (entry.isCompactSummary) return []
  const results = messageItems('user', entry, source)
  // What Claude Code says to the model in a person's name is no word of a person's.
  if (entry.isMeta || results.length > 0) return results
  // A subagent's first message is what its call says, which the thread has already.
  if (entry.agentId !== undefined) return []
  return personsWords(textOf(entry.content))
}

function systemItems(entry: SystemEntry): NewItem[] {
  if (entry.subtype === 'compact_boundary') return notices('info', 'The conversation so far was summarized.')
  if (entry.subtype === 'informational') return notices('info', entry.text)
  if (entry.subtype === 'local_command') return personsWords(entry.text)
  if (entry.subtype === 'api_error') return notices('error', entry.text || 'The model did not answer.')
  return []
}

/** An entry holds the message as the SDK hands it over. */
function messageItems(type: 'assistant' | 'user', entry: AssistantEntry | UserEntry, source: ItemSource): NewItem[] {
  const parent = source.subagent ?? entry.agentId ?? null
  const content = entry.content.filter(isUsable)
  const message = { type, message: { content }, parent_tool_use_id: parent } as unknown as SDKMessage
  return agentEvents(message).flatMap((event) => (event.type === 'item' ? [event.item] : []))
}

/** A block without the fields that make it one is left out rather than shown as `undefined`. */
function isUsable(block: EntryBlock): boolean {
  if (block.type === 'tool_use') return typeof block.id === 'string' && typeof block.name === 'string'
  if (block.type === 'tool_result') return typeof block.tool_use_id === 'string'
  return true
}

function textOf(content: readonly EntryBlock[]): string {
  return content
    .map((block) => (typeof block.text === 'string' ? block.text : `[${block.type}]`))
    .filter((text) => text !== '')
    .join('\n')
}

function notices(level: 'info' | 'error', text: string): NewItem[] {
  return text.trim() === '' ? [] : [{ type: 'notice', level, text: text.trim() }]
}
