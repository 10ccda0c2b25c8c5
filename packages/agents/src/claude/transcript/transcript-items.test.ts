import { Item } from '@holdpoint/schema/item'
import { describe, expect, it } from 'vitest'
import { callDisplay } from '../asks/call-display.ts'
import { readEntry, type TranscriptEntry } from './entry.ts'
import { entryItems, identifiedItems } from './transcript-items.ts'

function entry(value: Record<string, unknown>): TranscriptEntry {
  return readEntry(JSON.stringify(value)) as TranscriptEntry
}
const prompt = (text: string, fields: Record<string, unknown> = {}) =>
  entryItems(entry({ type: 'user', message: { content: text }, ...fields }))

describe('the items of an entry', () => {
  it('are what the agent said, thought and called', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'hello' },
      { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } },
    ]
    const display = callDisplay({ name: 'Bash', input: { command: 'ls' } })
    expect(entryItems(entry({ type: 'assistant', message: { content } }))).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'message', role: 'assistant', text: 'hello' },
      { type: 'tool-call', toolUseId: 't1', name: 'Bash', input: { command: 'ls' }, display },
    ])
  })

  it('are a tool’s result', () => {
    const content = [
      { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'out' }], is_error: true },
    ]
    expect(entryItems(entry({ type: 'user', message: { content } }))).toEqual([
      { type: 'tool-result', toolUseId: 't1', text: 'out', isError: true },
    ])
  })

  it('are bounded where a result is long, and say so', () => {
    const content = [{ type: 'tool_result', tool_use_id: 't1', content: 'x'.repeat(300_000) }]
    expect(entryItems(entry({ type: 'user', message: { content } }))).toMatchObject([{ omitted: 300_000 - 256 * 1024 }])
  })

  it('stand under the call that sent the subagent out, or under its own id', () => {
    const said = entry({ type: 'assistant', agentId: 'a1', message: { content: [{ type: 'text', text: 'hi' }] } })
    expect(entryItems(said, { subagent: 't1' })).toMatchObject([{ subagent: 't1' }])
    expect(entryItems(said)).toMatchObject([{ subagent: 'a1' }])
  })

  it('are a person’s words', () => {
    expect(prompt('go on')).toEqual([{ type: 'message', role: 'user', text: 'go on' }])
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image', source: {} },
    ]
    expect(entryItems(entry({ type: 'user', message: { content } }))).toEqual([
      { type: 'message', role: 'user', text: 'look\n[image]' },
    ])
  })

  it('are a slash command and a shell command as they were typed', () => {
    expect(prompt('<command-name>/model</command-name>\n<command-args>opus</command-args>')).toEqual([
      { type: 'message', role: 'user', text: '/model opus' },
    ])
    expect(prompt('<bash-input>ls -la</bash-input>')).toEqual([{ type: 'message', role: 'user', text: '! ls -la' }])
    expect(prompt('<bash-stdout>a\nb</bash-stdout><bash-stderr></bash-stderr>')).toEqual([
      { type: 'notice', level: 'info', text: 'a\nb' },
    ])
    expect(prompt('<local-command-stdout>Compacted </local-command-stdout>')).toMatchObject([{ text: 'Compacted' }])
  })

  it('are a person’s words also where they speak of such marks', () => {
    const text = 'what is <command-name>x</command-name>?'
    expect(prompt(text)).toEqual([{ type: 'message', role: 'user', text }])
  })

  it.each([
    ['a reminder', () => prompt('<system-reminder>x</system-reminder>')],
    ['what Claude Code says in a person’s name', () => prompt('continue', { isMeta: true })],
    ['a summary for the model', () => prompt('This session is being continued', { isCompactSummary: true })],
    ['a subagent’s task', () => prompt('do this', { agentId: 'a1' })],
    ['an empty line', () => prompt(' ')],
    ['a type that nobody knows', () => entryItems(entry({ type: 'new' }))],
  ])('are none for %s', (_, items) => {
    expect(items()).toEqual([])
  })

  it('are notices of what happened to the conversation', () => {
    expect(prompt('[Request interrupted by user for tool use]')).toMatchObject([{ type: 'notice', level: 'info' }])
    const boundary = entry({ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted' })
    expect(entryItems(boundary)).toMatchObject([{ type: 'notice', level: 'info' }])
    const content = [{ type: 'text', text: 'API Error: 400' }]
    expect(entryItems(entry({ type: 'assistant', isApiErrorMessage: true, message: { content } }))).toEqual([
      { type: 'notice', level: 'error', text: 'API Error: 400' },
    ])
  })

  it('are none for blocks without what makes them one', () => {
    const content = [
      { type: 'tool_use', name: 'Bash' },
      { type: 'tool_use', id: 7, name: 'x' },
      { type: 'tool_result' },
    ]
    expect(entryItems(entry({ type: 'assistant', message: { content } }))).toEqual([])
    expect(entryItems(entry({ type: 'user', message: { content: [{ type: 'tool_result' }] } }))).toMatchObject([
      { type: 'message', text: '[tool_result]' },
    ])
  })
})

describe('identity', () => {
  const said = entry({
    type: 'assistant',
    uuid: 'u1',
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
  })

  it('is the same whenever the entry is read, and another for each item', () => {
    const [first, second] = identifiedItems(said, { offset: 0 })
    expect(identifiedItems(said, { offset: 99 })[0]?.id).toBe(first?.id)
    expect(second?.id).not.toBe(first?.id)
  })

  it('makes them items as the schema has them', () => {
    const items = identifiedItems(said, { offset: 0 })
    expect(items.map((item) => Item.parse(item))).toEqual(items)
    expect(items[0]?.at).toBe(Date.UTC(2026, 0, 1))
  })
})
