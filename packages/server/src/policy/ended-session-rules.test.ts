import type { SessionId } from '@holdpoint/schema/id'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { until } from '@holdpoint/testing/until'
import { expect, it, vi } from 'vitest'
import { removeRulesOfEndedSessions } from './ended-session-rules.ts'

const LIVE: SessionId = `ses_${'1'.repeat(26)}`
const ENDED: SessionId = `ses_${'2'.repeat(26)}`

it('T61 removes the rules of a session, whatever they do, when it ends; others stay', async () => {
  await using test = await startJudgingGateway()
  const other = await test.newSession()
  const of = (sessionId: string) => ({ kind: 'session', sessionId })
  const rule = { effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope: of(test.session.id) }
  await test.addRule(rule)
  await test.addRule({ ...rule, effect: 'deny', pattern: 'Bash(ls -a)' })
  await test.addRule({ ...rule, effect: 'ask', pattern: 'Bash(ls -b)' })
  await test.addRule({ ...rule, scope: of(other.session.id) })
  await test.addRule({ ...rule, scope: { kind: 'everywhere' }, pattern: 'Bash(ls -c)' })
  expect((await test.policyState()).rules.length).toBe(5)
  await test.api.call('DELETE', `/api/sessions/${test.session.id}`)
  await until(async () => (await test.policyState()).rules.length === 2, 'the rules are removed')
  const left = (await test.policyState()).rules.map(({ scope }) => scope)
  expect(left).toEqual([of(other.session.id), { kind: 'everywhere' }])
})

it('T61 removes at the start the rules of sessions that ended meanwhile, and one that is kept after the end', async () => {
  const all = [
    { id: 'a', scope: { kind: 'session', sessionId: ENDED } },
    { id: 'b', scope: { kind: 'session', sessionId: LIVE } },
    { id: 'c', scope: { kind: 'everywhere' } },
  ]
  const removed: string[] = []
  let changed = () => {}
  const rules = {
    list: () => all,
    remove: async (id: string) => removed.push(id) > 0,
    subscribe(listener: () => void) {
      changed = listener
      return () => true
    },
  }
  const ledger = { views: () => new Map([[LIVE, { session: { epoch: 1 } }]]), subscribe: () => () => {} }
  // It may be live on another machine, whose word has not come here yet.
  await removeRulesOfEndedSessions({ ledger, rules, isOurs: async () => false, warn: vi.fn() } as never)
  expect(removed).toEqual([])
  await removeRulesOfEndedSessions({ ledger, rules, isOurs: async () => true, warn: vi.fn() } as never)
  expect(removed).toEqual(['a'])
  all[0] = { id: 'd', scope: { kind: 'session', sessionId: ENDED } }
  changed()
  await until(() => removed.includes('d'), 'the late rule is removed')
  expect(removed).toEqual(['a', 'd'])
})

it('T61 removes a rule that the disk kept when its session ended, though the session was resumed since', async () => {
  await using test = await startJudgingGateway()
  const scope = { kind: 'session', sessionId: test.session.id }
  await test.addRule({ effect: 'allow', agent: '*', pattern: 'Bash(ls -l)', scope })
  const [rule] = (await test.policyState()).rules
  expect(rule?.epoch).toBe(1)
  const removed: string[] = []
  const rules = { list: () => [rule], remove: async (id: string) => removed.push(id) > 0, subscribe: () => () => true }
  const live = (epoch: number) => ({
    views: () => new Map([[test.session.id, { session: { epoch } }]]),
    subscribe: () => () => {},
  })
  await removeRulesOfEndedSessions({ ledger: live(1), rules, isOurs: async () => true, warn: vi.fn() } as never)
  expect(removed).toEqual([])
  await removeRulesOfEndedSessions({ ledger: live(2), rules, isOurs: async () => true, warn: vi.fn() } as never)
  expect(removed).toEqual([rule?.id])
})

it('T61 no rule is made for a session that is not live', async () => {
  await using test = await startJudgingGateway()
  const of = (sessionId: string) => ({
    effect: 'allow',
    agent: '*',
    pattern: 'Bash(ls -l)',
    scope: { kind: 'session', sessionId },
  })
  const refused = { status: 409, body: { error: { code: 'session_ended' } } }
  expect(await test.api.call('POST', '/api/policy/rules', of(ENDED))).toMatchObject(refused)
  await test.api.call('DELETE', `/api/sessions/${test.session.id}`)
  expect(await test.api.call('POST', '/api/policy/rules', of(test.session.id))).toMatchObject(refused)
  expect((await test.policyState()).rules).toEqual([])
})
