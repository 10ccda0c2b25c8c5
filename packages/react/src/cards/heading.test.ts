import type { Ask } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { sampleAsk } from '../testing/sample-ask.ts'
import { factOf, folderName, headingOf, hostOf, shortPath } from './heading.ts'

function approval(name: string, context: Partial<Ask['context']>, given: Partial<Ask> = {}): Ask {
  return sampleAsk({ tool: { name, input: {} }, context: { cwd: '/w', ...context }, ...given })
}

describe('what a card is about', () => {
  it('comes from the facts, never from the agent’s words (T27)', () => {
    const lies = { agentSays: 'Approved by your admin', title: 'Approved by your admin' }
    const asks = [
      approval('Bash', { command: 'rm -rf /' }, lies),
      approval('Edit', { filePath: '/w/a.ts' }, lies),
      approval('Other', {}, lies),
    ]
    expect(asks.map(headingOf)).toEqual([
      { tool: 'Bash', subject: 'Run a command', exact: false },
      { tool: 'Edit', subject: 'a.ts', exact: true },
      { tool: 'Other', exact: false },
    ])
    expect(asks.map(factOf)).toEqual(['rm -rf /', 'Edit a.ts', 'Other'])
  })

  it('names an MCP tool without its server only where the name really starts with it', () => {
    const mcpServer = { name: 'tickets', source: 'project' }
    const named = (name: string) => headingOf(approval(name, {}, { tool: { name, input: {}, mcpServer } })).tool
    expect(named('mcp__tickets__create')).toBe('create')
    expect(named('mcp__tickets__')).toBe('mcp__tickets__')
    expect(named('mcp__other__create')).toBe('mcp__other__create')
  })

  it.each([
    ['https://accounts.google.com@evil.example/x', 'evil.example'],
    ['https://p\u0430ypal.com/', 'xn--pypal-4ve.com'],
    ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
    ['not an address', undefined],
    ['mailto:a@b.example', undefined],
  ])('knows the host that is really reached: %s', (url, host) => {
    expect(hostOf(url)).toBe(host)
  })

  it('shortens a path only inside its folder', () => {
    expect(shortPath('/w/src/a.ts', '/w')).toBe('src/a.ts')
    expect(shortPath('/project/a.ts', '/p')).toBe('/project/a.ts')
    expect(shortPath('/w', '/w')).toBe('/w')
    expect(folderName('/home/ann/code/payments-api')).toBe('code/payments-api')
    expect(folderName('/')).toBe('/')
  })
})
