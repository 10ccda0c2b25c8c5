import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { startBuiltGateway } from '../built-gateway.ts'
import { until } from '../until.ts'

function yesTo({ questions }: Ask): Record<string, unknown> {
  if (!questions) return { kind: 'allow' }
  const answers = questions.map(({ options }, question) => ({ question, selected: [options[0]?.label] }))
  return { kind: 'answer', answers }
}

it('asks for each step of the tour once, and for nothing that the tour does not tell of', async () => {
  await using gateway = await startBuiltGateway()
  const { id } = await gateway.api.ok<Session>('POST', '/api/sessions', { agent: 'demo', prompt: 'Show me around.' })
  const asked = new Map<string, string>()
  await until(async () => {
    const { asks } = await gateway.api.ok<{ asks: Ask[] }>('GET', '/api/asks')
    for (const ask of asks) {
      if (asked.has(ask.id)) continue
      asked.set(ask.id, ask.tool?.name ?? '')
      const reply = await gateway.api.answer(ask, yesTo(ask))
      expect(reply.status).toBe(200)
    }
    const { state } = await gateway.api.ok<Session>('GET', `/api/sessions/${id}`)
    return asks.length === 0 && state === 'user_turn'
  }, 'the end of the tour')
  expect([...asked.values()]).toEqual(['Bash', 'Write', 'Edit', 'AskUserQuestion', 'ExitPlanMode', 'Bash', 'Bash'])
})
