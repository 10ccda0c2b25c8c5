import type { Verdict } from '@holdpoint/schema/policy'
import type { Usage } from '@holdpoint/schema/usage'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { until } from '@holdpoint/testing/until'
import { expect, it } from 'vitest'

const ALLOW: Verdict = { effect: 'allow', reason: 'allow: a rule.', rule: 'rul_1' as const, parts: [] }
const WHY = 'This session has used $5.10 of its budget of $5.00.'

const spent = (costUsd: number): Usage => ({
  inputTokens: costUsd * 1000,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd,
})

async function worldWithBudget(verdict = ALLOW) {
  const world = await createCoreWorld({ policy: { look: async () => () => verdict } })
  const { session, agent } = await world.session({ budget: { usd: 5 } })
  const { tool, context } = askRequest()
  const call = { tool: tool ?? { name: 'Bash', input: {} }, cwd: context.cwd }
  return { ...world, id: session.id, agent, judge: () => agent.start.judge(call, undefined) }
}

it('T80 beyond it a call waits for a person, whatever rules and remembered answers say, until it is raised', async () => {
  const world = await worldWithBudget()
  const { agent, id } = world
  agent.uses(spent(4.9))
  expect(await world.judge()).toBe('allow')
  agent.uses(spent(5.1))
  expect(await world.judge()).toBe('ask')

  const raise = (requestId: string) =>
    world.broker.raise({ sessionId: id, epoch: 1, request: askRequest({ requestId }), mayRuleAllow: true })
  const open = await raise('first')
  expect(open).toMatchObject({ ok: true, ask: { askedBecause: { reason: WHY } } })
  expect(open).not.toHaveProperty('outcome')
  if (!open.ok) throw new Error(open.refusal)
  // Remembered for the session: it counts once the budget is raised, not sooner.
  expect(await world.answer(open.ask, { kind: 'allow', remember: { scope: 'session' } })).toMatchObject({ ok: true })
  expect(await raise('second')).not.toHaveProperty('outcome')

  expect(await world.sessions.setBudget(id, { usd: 10 })).toMatchObject({ ok: true, value: { budget: { usd: 10 } } })
  expect(await raise('third')).toMatchObject({ outcome: { kind: 'allowed', via: 'rule' } })
  expect(await world.judge()).toBe('allow')
})

it('T80 beyond it messages wait, and go out once it is raised or taken away', async () => {
  const { sessions, agent, id, view } = await worldWithBudget()
  await agent.start.emit([{ type: 'usage', reported: spent(5.1) }])
  expect(await sessions.send(id, { text: 'first' })).toMatchObject({ ok: true, value: { queued: 1 } })
  expect(agent.messages).toEqual([])
  await sessions.setBudget(id, { usd: 5.1 })
  expect(agent.messages).toEqual([])
  await sessions.setBudget(id, {})
  await until(() => agent.messages.length === 1 && view({ id })?.queue.length === 0, 'the message to go out')
})

it('denies beyond it what a rule denies, and asks nobody', async () => {
  const { agent, judge } = await worldWithBudget({ ...ALLOW, effect: 'deny', reason: 'deny: a rule.' })
  agent.uses(spent(5.1))
  expect(await judge()).toBe('deny')
})

it('refuses calls where the agent does not say what it has used', async () => {
  const { agent, judge } = await worldWithBudget()
  agent.uses(undefined)
  await expect(judge()).rejects.toThrow('no idea')
})

it('counts tokens as well, and is not asked about in a session without one', async () => {
  const { agent, judge, sessions, id } = await worldWithBudget()
  await sessions.setBudget(id, { tokens: 3000 })
  agent.uses(spent(3))
  expect(await judge()).toBe('ask')
  await sessions.setBudget(id, {})
  agent.uses(undefined)
  expect(await judge()).toBe('allow')
})

it('cannot be set for an agent that reports no usage', async () => {
  const { sessions, id, synthetic, session } = await worldWithBudget()
  Object.assign(synthetic.driver, { reportsUsage: undefined })
  const refused = { ok: false, refusal: 'not_supported' }
  expect(await sessions.setBudget(id, { usd: 1 })).toMatchObject(refused)
  await expect(session({ budget: { usd: 1 } })).rejects.toThrow('not_supported')
})
