import { describe, expect, it } from 'vitest'
import { MAX_LINE_BYTES, readEntry } from './entry.ts'

describe('an entry', () => {
  it('has what we use of an assistant’s line', () => {
    const line = {
      type: 'assistant',
      uuid: 'u1',
      timestamp: '2026-01-02T03:04:05.678Z',
      sessionId: 's1',
      cwd: '/code',
      agentId: 'a1',
      message: { id: 'msg_1', model: 'a-model', content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }] },
    }
    expect(readEntry(JSON.stringify(line))).toEqual({
      type: 'assistant',
      uuid: 'u1',
      at: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      sessionId: 's1',
      cwd: '/code',
      agentId: 'a1',
      messageId: 'msg_1',
      content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }],
      isSynthetic: false,
      isError: false,
    })
  })

  it('takes a text for content as one block', () => {
    expect(readEntry('{"type":"user","message":{"content":"go"}}')).toMatchObject({
      content: [{ type: 'text', text: 'go' }],
    })
  })

  it('passes a type that nobody knows yet', () => {
    expect(readEntry('{"type":"from-the-future","sessionId":"s"}')).toEqual({
      type: 'other',
      name: 'from-the-future',
      sessionId: 's',
    })
  })

  it.each([
    ['nothing', ''],
    ['words', 'not json'],
    ['half a line', '{"type":"user","mess'],
    ['a string', '"user"'],
    ['a list', '[{"type":"user"}]'],
    ['null', 'null'],
    ['no type', '{"message":{}}'],
    ['a type that is no text', '{"type":{"a":1}}'],
    ['zeros', '\0\0\0\0'],
    ['UTF-16', Buffer.from('{"type":"user"}', 'utf16le')],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x80, 0x00, 0xc3])],
  ])('is not made of %s', (_, line) => {
    expect(readEntry(line)).toBeUndefined()
  })

  it.each([
    ['no message', '{"type":"assistant"}'],
    ['a message that is a list', '{"type":"assistant","message":[1,2]}'],
    ['content that is a number', '{"type":"assistant","message":{"content":7}}'],
    ['blocks that are none', '{"type":"assistant","message":{"content":[null,1,"x",[],{"type":3},{}]}}'],
  ])('has no content with %s', (_, line) => {
    expect(readEntry(line)).toMatchObject({ type: 'assistant', content: [] })
  })

  it('has no field of the wrong type', () => {
    const line = '{"type":"user","uuid":1,"timestamp":"soon","cwd":["/"],"agentId":{},"permissionMode":5}'
    expect(readEntry(line)).toEqual({ type: 'user', content: [], isMeta: false, isCompactSummary: false })
  })

  it('reads bytes that are no text as marks, and the rest as it is', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"type":"user","message":{"content":"a'),
      Buffer.from([0xff]),
      Buffer.from('b"}}'),
    ])
    expect(readEntry(bytes)).toMatchObject({ content: [{ text: 'a\uFFFDb' }] })
  })

  it('keeps escape sequences as data', () => {
    const text = '\u001b]52;c;aGk=\u0007\u001b[2J\u202e'
    expect(readEntry(JSON.stringify({ type: 'user', message: { content: text } }))).toMatchObject({
      content: [{ type: 'text', text }],
    })
  })

  it('reads past a byte order mark', () => {
    expect(readEntry('\uFEFF{"type":"user"}')).toMatchObject({ type: 'user' })
  })

  it('does not take a prototype from a line', () => {
    const entry = readEntry('{"type":"user","__proto__":{"isMeta":true},"message":{"__proto__":{"content":"x"}}}')
    expect(entry).toMatchObject({ isMeta: false, content: [] })
    expect(({} as { isMeta?: unknown }).isMeta).toBeUndefined()
  })

  it('leaves out a block that is nested deeper than can be written out again', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const line = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"x","input":${deep}},{"type":"text","text":"after"}]}}`
    expect(readEntry(line)).toMatchObject({ content: [{ type: 'text', text: 'after' }] })
  })

  it('is not made of a line over the limit', () => {
    const line = Buffer.alloc(MAX_LINE_BYTES + 1, ' ')
    line.write('{"type":"user"}')
    expect(readEntry(line)).toBeUndefined()
  })
})
