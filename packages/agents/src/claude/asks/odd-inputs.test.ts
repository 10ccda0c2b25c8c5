import type { CanUseTool } from '@anthropic-ai/claude-agent-sdk'
import { AskRequest } from '@holdpoint/schema/ask'
import { LONG, report, TIMEOUT_MS } from '@holdpoint/testing/long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createClosedStream } from '../sdk/closed-stream.ts'
import { launchOptions } from '../sdk/launch-options.ts'
import { gatedCall } from './ask-request.ts'
import { createInteractiveTools } from './interactive-tools.ts'

const TOOLS = [
  'Bash',
  'Write',
  'Edit',
  'MultiEdit',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'Read',
  'Task',
  'Unknown',
  'mcp__a__b',
  'ExitPlanMode',
  'AskUserQuestion',
]
const FIELDS = [
  'command',
  'description',
  'file_path',
  'notebook_path',
  'content',
  'old_string',
  'new_string',
  'edits',
  'url',
  'query',
  'plan',
  'planFilePath',
  'questions',
  'timeout',
]

describe('F39 a call whose input is not as it should be', () => {
  it('is asked about as it is, and can be allowed as it is', { timeout: TIMEOUT_MS }, async () => {
    const tools = createInteractiveTools()
    const runs = LONG ? 20_000 : 500
    const input = fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), fc.string()), fc.jsonValue(), { maxKeys: 6 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TOOLS),
        input,
        fc.option(fc.constant('/nowhere'), { nil: undefined }),
        async (name, given, cwd) => {
          const shown = JSON.parse(JSON.stringify(given)) as Record<string, unknown>
          const context = { requestId: 'r', toolUseID: 't' } as Omit<Parameters<CanUseTool>[2], 'signal'>
          const ask = await tools.toAsk(
            gatedCall(name, shown, context, { ...(cwd !== undefined && { cwd }), from: {} }),
          )
          // Nobody is asked about questions that are none, or what cannot be shown: the agent hears why.
          if ('refusal' in ask) return expect(ask.refusal).toBeTruthy()
          const stored = AskRequest.parse(JSON.parse(JSON.stringify(ask)))
          expect(stored.tool?.input).toEqual(shown)
          if (stored.kind !== 'approval') return
          const yes = { kind: 'allowed', at: 1, via: 'web', answer: { kind: 'allow' } } as const
          expect(tools.approvedInput(stored, yes)).toEqual(shown)
        },
      ),
      { numRuns: runs },
    )
    report(`F39: ${runs} inputs`)
  })

  it('is refused when a field of it is one that no card can show', async () => {
    const input = JSON.parse('{"command":"ls","__proto__":{"command":"id"}}') as Record<string, unknown>
    const context = { requestId: 'r', toolUseID: 't' } as Omit<Parameters<CanUseTool>[2], 'signal'>
    const ask = await createInteractiveTools().toAsk(gatedCall('mcp__a__b', input, context, { from: {} }))
    expect(ask).toEqual({ refusal: expect.stringContaining('__proto__') })
  })
})

describe('F38 a kind of ask or dialog that nobody here knows', () => {
  it('is not declared to be answered: Claude Code shows none that its host has not declared', () => {
    const start = { permissionMode: 'default', gate: 'default', trusted: false, cwd: '/code', epoch: 1 } as Parameters<
      typeof launchOptions
    >[0]
    const hooks = { preToolUse: async () => ({}), ran: () => {} } as unknown as Parameters<typeof launchOptions>[2]
    const options = launchOptions(start, {} as Parameters<typeof launchOptions>[1], hooks)
    expect(Object.keys(options).filter((name) => /dialog/i.test(name))).toEqual([])
  })
})

describe('F40 createClosedStream', () => {
  const result = (content: unknown, isError = true) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 'x', is_error: isError, content }] },
  })

  it('tells at the second refusal, not at the first, and not for what a tool itself says', () => {
    const isClosed = createClosedStream(() => false)
    const words = 'Tool permission stream closed before response received'
    expect(isClosed(result(`the log says: ${words}`))).toBe(false)
    expect(isClosed(result(words, false))).toBe(false)
    expect(isClosed(result(words))).toBe(false)
    for (const odd of [undefined, null, {}, { type: 'user' }, { type: 'user', message: { content: [null] } }])
      expect(isClosed(odd)).toBe(false)
    expect(isClosed(result([{ type: 'text', text: 'Error: Stream closed' }]))).toBe(true)
  })

  it('does not take the words of a person or of an MCP server for Claude Code’s own', () => {
    const ofPerson = createClosedStream((toolUseId) => toolUseId === 'x')
    for (let tries = 0; tries < 3; tries++) expect(ofPerson(result('Stream closed, I am afraid.'))).toBe(false)
    const ofServer = createClosedStream(() => false)
    const call = { type: 'assistant', message: { content: [{ type: 'tool_use', id: 'x', name: 'mcp__s__t' }] } }
    for (let tries = 0; tries < 3; tries++) {
      expect(ofServer(call)).toBe(false)
      expect(ofServer(result('Stream closed'))).toBe(false)
    }
  })
})
