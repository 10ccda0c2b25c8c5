import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { callFactsOf } from '@holdpoint/core/call-facts'
import { permissionRequestOf } from '@holdpoint/core/permission-request'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { alwaysWords, callOfInput, callOfRequest, callWords } from './shown-call.ts'

const FILE = { path: '/w/sub/a.sh', use: 'runs', sha256: 'a'.repeat(64) } as const

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
    const call = callOfInput(name, JSON.stringify(input), { display: callDisplay({ name, input }) })
    expect(call && callWords(call)).toEqual(words)
    expect(call?.tool?.input).toEqual(input)
  })

  it('is shown by its name and its whole input where no driver has told of the tool', () => {
    const call = callOfInput('Bash', '{"command":"ls"}')
    expect(call).toEqual({ kind: 'approval', tool: { name: 'Bash', input: { command: 'ls' } }, context: {} })
    expect(call && callWords(call)).toEqual({ verb: 'Use tool', subject: 'Bash' })
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
    expect(call.context).toEqual(ask.context)
  })

  it.each([
    [
      'Bash',
      undefined,
      'exactly this command, in this folder, until this session ends. Its description and its timeout are',
    ],
    ['Bash', [FILE], 'exactly this command, in this folder, with these files unchanged, until this session ends'],
    ['Bash', [FILE], 'are not compared. What its files load is not compared.'],
    ['WebFetch', undefined, 'exactly this input, in this folder, until this session ends.'],
  ])('says what always means for %s: exactly what is compared (T61)', (name, files, words) => {
    const tool = { name, input: {} }
    const context = { cwd: '/w', ...(name === 'Bash' && { command: 'x' }) }
    const ask = sampleAsk({ tool, files, context, remember: { key: 'k', rule: `${name}(x)` } })
    expect(alwaysWords(permissionRequestOf(ask))).toContain(words)
  })

  it('does not say of a command in the background that its timeout is not compared (T61)', () => {
    const tool = { name: 'Bash', input: { command: 'x', run_in_background: true } }
    const ask = sampleAsk({ tool, context: { cwd: '/w', command: 'x' }, remember: { key: 'k', rule: 'Bash(x)' } })
    expect(alwaysWords(permissionRequestOf(ask))).toMatch(/Its description is not compared\.$/)
  })

  it('carries the folder, the files that it runs, and that it asks again', () => {
    const replaces = 'ask_0' as const
    const filesUnknown = 'Which files it runs cannot be told.'
    const ask = sampleAsk({ files: [FILE], filesUnknown, replaces, context: { cwd: '/w/sub', command: 'sh a.sh' } })
    const facts = { kind: 'approval', files: [FILE], filesUnknown, replaces }
    expect(callOfRequest(permissionRequestOf(ask))).toMatchObject({ ...facts, context: { cwd: '/w/sub' } })
    const input = JSON.stringify(ask.tool?.input)
    expect(callOfInput('Bash', input, callFactsOf(ask))).toMatchObject({ ...facts, context: { cwd: '/w/sub' } })
  })

  it('says nothing of always where it would not be remembered', () => {
    expect(alwaysWords(permissionRequestOf(sampleAsk()))).toBeUndefined()
  })
})
