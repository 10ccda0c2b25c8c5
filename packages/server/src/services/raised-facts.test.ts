import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import type { Ask } from '@holdpoint/schema/ask'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'
import { raisedFacts } from './raised-facts.ts'

const cwd = '/srv/app'

function factsOf(name: string, input: Record<string, unknown>) {
  const tool = { name, input }
  return raisedFacts(tool, callAction({ tool, cwd }).action)
}

describe('the facts of a call that a program raises', () => {
  it('T27 are texts of its input', () => {
    expect(factsOf('Bash', { command: 'npm ci', description: 'Nothing at all' })).toEqual({
      title: 'Bash: npm ci',
      context: { command: 'npm ci' },
    })
    expect(factsOf('Edit', { file_path: '/srv/app/a.ts', old_string: 'a', new_string: 'b' })).toEqual({
      title: 'Edit: /srv/app/a.ts',
      context: { filePath: '/srv/app/a.ts' },
    })
    expect(factsOf('WebFetch', { url: 'https://example.com/a', prompt: 'Read it' })).toEqual({
      title: 'WebFetch: https://example.com/a',
      context: { url: 'https://example.com/a' },
    })
  })

  it('T27 are left out where they would have to be worked out, and of tools that nobody knows', () => {
    for (const path of ['a.ts', '~/a.ts', '/srv/app/../b.ts', ' /srv/app/a.ts'])
      expect(factsOf('Write', { file_path: path, content: '' }), path).toBeUndefined()
    expect(factsOf('Grep', { pattern: 'a', path: '/srv/app' })).toBeUndefined()
    expect(factsOf('Deploy', { command: 'npm ci', file_path: '/srv/app/a.ts' })).toBeUndefined()
    expect(factsOf('mcp__ci__Bash', { command: 'npm ci' })).toBeUndefined()
    expect(factsOf('Bash', { command: ['npm', 'ci'] })).toBeUndefined()
  })

  it('T27 are what its approval says in lists and on its card, whatever the program calls it', async () => {
    await using test = await startTestGateway()
    const raiser = await test.credential({ role: 'raiser' })
    const request = {
      program: { key: 'claude', title: 'claude-code' },
      requestId: 'call',
      kind: 'approval',
      title: 'Bash: ls',
      tool: { name: 'Bash', input: { command: 'git push --force', description: 'List the files' } },
      context: { cwd },
    }
    const shown = { title: 'Bash: git push --force', context: { cwd, command: 'git push --force' } }
    const ask = await raiser.api.ok<Ask>('POST', '/api/asks', request)
    expect(ask).toMatchObject({ ...shown, raiser: raiser.device.name })
    expect(await raiser.api.ok('POST', '/api/asks', request)).toMatchObject({ id: ask.id, ...shown })
    const plan = { ...request, requestId: 'plan', kind: 'plan', title: 'A plan', plan: { text: 'All of it' } }
    expect(await raiser.api.ok<Ask>('POST', '/api/asks', plan)).toMatchObject({ title: 'A plan', context: { cwd } })
  })
})
