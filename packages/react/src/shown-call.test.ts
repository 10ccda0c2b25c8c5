import { permissionRequestOf } from '@holdpoint/core/permission-request'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from './sample-ask.ts'
import { alwaysWords, callOfInput, callOfRequest, callWords } from './shown-call.ts'

describe('a tool call by its input', () => {
  it.each([
    ['Bash', { command: 'ls' }, { verb: 'Run command' }],
    ['Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }, { verb: 'Edit file', subject: '/w/a.ts' }],
    ['Write', { file_path: '/w/a.ts', content: 'a' }, { verb: 'Write file', subject: '/w/a.ts' }],
    ['WebFetch', { url: 'https://a.example@b.example/x' }, { verb: 'Fetch', subject: 'b.example' }],
    ['WebSearch', { query: 'x' }, { verb: 'Search the web' }],
    ['ExitPlanMode', { plan: 'x' }, { verb: 'Go on with the plan' }],
    ['mcp__a__b', { command: 'ls', url: 'https://a.example' }, { verb: 'Use tool', subject: 'mcp__a__b' }],
  ])('%s %o is worded from the facts', (name, input, words) => {
    const call = callOfInput(name, JSON.stringify(input))
    expect(call && callWords(call)).toEqual(words)
    expect(call?.tool?.input).toEqual(input)
  })

  it.each(['not JSON', '[]', 'null', '"text"', ''])('%o is none', (text) => {
    expect(callOfInput('Bash', text)).toBeUndefined()
  })
})

describe('a permission request', () => {
  it('loses nothing of the call', () => {
    const ask = sampleAsk({
      tool: { name: 'Edit', input: { file_path: '/w/a.ts', x: 1 }, mcpServer: { name: 's', source: 'project' } },
      agentSays: 'Says',
      decisionReason: 'Because',
      context: { cwd: '/w', filePath: '/w/a.ts', diff: 'd', blockedPath: '/etc' },
    })
    const call = callOfRequest(permissionRequestOf(ask))
    expect(call).toMatchObject({ tool: ask.tool, agentSays: 'Says', decisionReason: 'Because' })
    expect(call.context).toEqual({ ...ask.context, cwd: '' })
  })

  it.each([
    ['ls', { command: 'ls' }, 'exactly this command'],
    ['/w/a.ts', { filePath: '/w/a.ts' }, 'change this file, however it likes'],
    ['https://a.example', { url: 'https://a.example' }, 'exactly this address'],
    ['{"a":1}', {}, 'exactly this'],
  ])('says what always %s means', (pattern, context, words) => {
    const ask = sampleAsk({ context: { cwd: '/w', ...context }, remember: { key: 'k', rule: `Bash(${pattern})` } })
    expect(alwaysWords(permissionRequestOf(ask))).toContain(words)
  })

  it('says nothing of always where it would not be remembered', () => {
    expect(alwaysWords(permissionRequestOf(sampleAsk()))).toBeUndefined()
  })
})
