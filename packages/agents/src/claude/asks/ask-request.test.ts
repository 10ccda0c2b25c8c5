import { describe, expect, it } from 'vitest'
import { gatedCall, type ToolContext } from './ask-request.ts'
import { TOOLS } from './call-display.ts'
import { createInteractiveTools } from './interactive-tools.ts'

async function ask(name: string, given: Record<string, unknown>) {
  const context = { requestId: 'r', toolUseID: 't' } as ToolContext
  const request = await createInteractiveTools().toAsk(gatedCall(name, given, context, { cwd: '/code', from: {} }))
  if ('refusal' in request) throw new Error(request.refusal)
  return request
}

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

describe('the facts of an ask', () => {
  const rows = [...TOOLS].flatMap(([name, { shownIn = {} }]) =>
    Object.entries(shownIn).map(([field, part]) => ({ name, field, part })),
  )
  const facts = rows.filter(({ part }) => ['command', 'url', 'query'].includes(part))

  it.each(facts)('are read from the field that the table names: $part of $name from $field', async (row) => {
    expect((await ask(row.name, { [row.field]: 'text' })).context).toHaveProperty(row.part, 'text')
    expect((await ask('SomethingNew', { [row.field]: 'text' })).context).not.toHaveProperty(row.part)
  })
})
