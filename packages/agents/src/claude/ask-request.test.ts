import { describe, expect, it } from 'vitest'
import { toolAsk } from './ask-request.ts'

const ask = (name: string, given: Record<string, unknown>) =>
  toolAsk({
    name,
    given,
    context: { requestId: 'r', toolUseID: 't' } as Parameters<typeof toolAsk>[0]['context'],
    cwd: '/work',
    from: {},
  })

describe("an ask's words of the agent (T27)", () => {
  it.each([
    ['Bash', { command: 'ls' }],
    ['Task', { prompt: 'look' }],
    ['Agent', { prompt: 'look' }],
  ])('are the description of %s, which is a remark about the call', async (name, given) => {
    const input = { ...given, description: 'Lists the files' }
    expect(await ask(name, input)).toMatchObject({ agentSays: 'Lists the files', tool: { input } })
  })

  it.each(['mcp__tickets__create', 'TaskCreate', 'SomethingNew'])(
    'are none for %s, where a description is what the call acts on',
    async (name) => {
      const input = { title: 'A ticket', description: 'Delete everything.' }
      const request = await ask(name, input)
      expect(request.agentSays).toBeUndefined()
      expect(request.tool?.input).toEqual(input)
    },
  )
})
