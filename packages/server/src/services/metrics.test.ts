import { rm } from 'node:fs/promises'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it, onTestFinished } from 'vitest'
import { MAX_TOOLS } from './metrics.ts'

const PERMISSIONS = 'holdpoint_permission_requests_total'
const RESPONSES = 'holdpoint_permission_response_time_seconds'
const TIMEOUTS = 'holdpoint_permission_timeouts_total'

/** The figures of one name, by their labels. */
async function figures(test: TestGateway, name: string): Promise<Record<string, number>> {
  const text = String((await test.api.call('GET', '/metrics')).body)
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return Object.fromEntries(
    lines.map((line) => [line.slice(name.length, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

const named = (name: string) => ({ tool: { name, input: {} } })

it('counts permission requests by tool and outcome, and how long people took', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const bash = await test.openAsk(agent)
  await test.api.answer(bash.ask, { kind: 'allow', remember: { scope: 'session' } })
  expect(await agent.ask()).toMatchObject({ via: 'rule' })
  const write = await test.openAsk(agent, named('Write'))
  await test.api.answer(write.ask, { kind: 'deny' })
  const plan = await test.openAsk(agent, { kind: 'plan', tool: undefined, plan: { text: 'a plan' } })
  await test.api.answer(plan.ask, { kind: 'allow' })
  const question = await test.openAsk(agent, {
    kind: 'question',
    questions: [{ question: 'Which?', options: [{ label: 'a' }], multiSelect: false }],
  })
  await test.api.answer(question.ask, { kind: 'cancel' })

  expect(await figures(test, PERMISSIONS)).toEqual({
    '{tool="Bash",outcome="allowed"}': 2,
    '{tool="Write",outcome="denied"}': 1,
    '{tool="plan",outcome="allowed"}': 1,
  })
  // A rule is nobody's response.
  expect(await figures(test, `${RESPONSES}_count`)).toEqual({ '': 3 })
  expect(await figures(test, TIMEOUTS)).toEqual({ '': 0 })
  expect(await figures(test, 'holdpoint_ask_wait_seconds_count')).toEqual({ '': 5 })
})

it('counts what nobody replied to, and what was taken back, apart', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session({ askTimeoutMs: 1000 })
  expect((await agent.ask()).kind).toBe('expired')
  const other = await test.session()
  await test.openAsk(other.agent)
  await test.api.ok('DELETE', `/api/sessions/${other.session.id}`)
  expect(await figures(test, PERMISSIONS)).toEqual({
    '{tool="Bash",outcome="expired"}': 1,
    '{tool="Bash",outcome="withdrawn"}': 1,
  })
  expect(await figures(test, TIMEOUTS)).toEqual({ '': 1 })
  expect(await figures(test, `${RESPONSES}_count`)).toEqual({ '': 0 })
})

it('I10 keeps no more tools apart than it has room for, whatever agents call them', async () => {
  await using test = await startTestGateway()
  const { agent } = await test.session()
  const hostile = ['a"} 1\nholdpoint_fake_total 7', 'x'.repeat(500), 'émoji 🙈', '__proto__', 'with blank']
  const many = Array.from({ length: 2 * MAX_TOOLS }, (_, index) => `Tool${index}`)
  for (const name of [...hostile, ...many]) {
    const { ask } = await test.openAsk(agent, named(name))
    await test.api.answer(ask, { kind: 'deny' })
  }
  const counted = await figures(test, PERMISSIONS)
  expect(Object.keys(counted).length).toBe(MAX_TOOLS + 1)
  expect(counted['{tool="other",outcome="denied"}']).toBe(hostile.length + MAX_TOOLS)
  expect(counted['{tool="Tool0",outcome="denied"}']).toBe(1)
  expect(await figures(test, 'holdpoint_fake_total')).toEqual({})
})

it('counts requests that an earlier gateway has taken, with the time since then', async () => {
  const store = createMemoryStore()
  const first = await startTestGateway({ store })
  const { agent } = await first.session()
  const { ask } = await first.openAsk(agent)
  onTestFinished(() => rm(first.dataDir, { recursive: true, force: true }))
  await first.gateway.close()
  await using second = await startTestGateway({ store, dataDir: first.dataDir })
  await second.api.answer(ask, { kind: 'allow' })
  expect(await figures(second, PERMISSIONS)).toEqual({ '{tool="Bash",outcome="allowed"}': 1 })
  expect(await figures(second, `${RESPONSES}_count`)).toEqual({ '': 1 })
})
