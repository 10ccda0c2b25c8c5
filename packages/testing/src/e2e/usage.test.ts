import { type Reply, type Script, say, use } from '@holdpoint/demo-model/script'
import type { UsageReport } from '@holdpoint/schema/endpoints/usage'
import type { Session } from '@holdpoint/schema/session'
import { expect, it } from 'vitest'
import { until } from '../until.ts'
import { startRealGateway } from './real-gateway.ts'

/** Half a dollar of output at the list price of the model, more or less. */
const DEAR = { input_tokens: 1000, output_tokens: 20_000, cache_read_input_tokens: 50, cache_creation_input_tokens: 7 }
const dear = (reply: Reply): Reply => ({ ...reply, usage: DEAR })

/** Runs a command in each turn that says so. */
const spender: Script = (call) =>
  call.lastUserText.includes('run') && call.rounds.length === 0
    ? dear({ content: [use('Bash', { command: `ls ${call.turns.length}` })] })
    : dear(say('done'))

it('T80 what the agent reports is counted once over deaths of gateways and lives of agents, and a budget holds', async () => {
  await using real = await startRealGateway({ scripts: { spender } })
  const session = await real.session('spender')
  /** So many calls of the model, in all. */
  const counted = (calls: number) =>
    until(async () => {
      const { usage } = await session.read()
      if ((usage?.total.outputTokens ?? 0) > calls * DEAR.output_tokens) throw new Error('counted twice')
      return usage?.total.outputTokens === calls * DEAR.output_tokens && usage.total
    }, `${calls} calls to be counted`)
  const total = await counted(1)
  expect(total).toMatchObject({ inputTokens: 1000, cacheReadTokens: 50, cacheWriteTokens: 7 })
  const price = total.costUsd ?? 0
  expect(price).toBeGreaterThan(0)
  await until(async () => (await session.read()).context?.window, 'the context to be told')

  // `ls` asks nobody by itself: it waits because of the budget, which its own call of the model has passed.
  const path = `/api/sessions/${session.id}/budget`
  await real.api.ok<Session>('POST', path, { usd: price * 1.5 })
  await session.send('run something')
  const ask = await session.ask()
  expect(ask.askedBecause?.reason).toMatch(/^This session has used \$[\d.]+ of its budget of \$[\d.]+\.$/)
  await counted(2)
  await real.gateway.kill9()
  await real.restart()
  expect((await session.ask()).id).toBe(ask.id)
  await session.answer(ask, { kind: 'allow' })
  await session.idle()
  await counted(3)

  // A message waits, also over a restart, until there is room for it.
  await session.send('and on')
  expect((await session.read()).queuedMessages).toBe(1)
  await real.gateway.kill9()
  await real.restart()
  await until(async () => (await session.read()).state === 'user_turn', 'the agent to be found')
  expect((await session.read()).queuedMessages).toBe(1)
  await counted(3)
  await real.api.ok<Session>('POST', path, { usd: price * 100 })
  await counted(4)

  await session.idle()
  await real.api.call('DELETE', `/api/sessions/${session.id}`)
  await session.ended()
  await real.api.ok('POST', '/api/sessions', { resume: session.id, prompt: 'once more' })
  const { costUsd = 0 } = await counted(5)
  expect(costUsd).toBeCloseTo(price * 5, 6)

  const report = await real.api.ok<UsageReport>('GET', '/api/usage?days=2&timeZone=Asia/Kolkata')
  expect(report.total.outputTokens).toBe(5 * DEAR.output_tokens)
  expect(report.total.costUsd).toBeCloseTo(costUsd, 6)
  expect(report.sessions).toMatchObject([{ id: session.id, project: session.cwd, title: expect.any(String) }])
  expect(report.projects).toEqual([{ project: session.cwd, used: report.total }])
  expect(report.days.map(({ day }) => day)).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)])
  expect((await real.api.call('GET', '/api/usage?timeZone=Nowhere')).status).toBe(422)
}, 60_000)
