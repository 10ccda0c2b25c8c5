import type { Verdict } from '@holdpoint/schema/policy'
import { startJudgingGateway } from '@holdpoint/testing/judging-gateway'
import { openStream } from '@holdpoint/testing/stream-client'
import { TEST_TOKEN } from '@holdpoint/testing/test-gateway'
import { until } from '@holdpoint/testing/until'
import { describe, expect, it } from 'vitest'

const LS = { effect: 'allow', agent: '*', pattern: 'Bash(ls *)', scope: { kind: 'everywhere' } }
const RM = { effect: 'deny', agent: '*', pattern: 'Bash(rm *)', scope: { kind: 'everywhere' } }

describe('the rules over the API', () => {
  it('say how often each of them has decided, and forget that with the rule', async () => {
    await using test = await startJudgingGateway()
    const [ls, rm] = [await test.addRule(LS), await test.addRule(RM)]
    expect((await test.policyState()).uses).toEqual({})
    expect(await test.bash('ls')).toMatchObject({ kind: 'allowed', via: 'rule', rules: [ls.id] })
    expect(await test.bash('ls && ls -l')).toMatchObject({ kind: 'allowed', rules: [ls.id] })
    expect(await test.bash('rm x')).toMatchObject({ kind: 'denied', rules: [rm.id] })
    expect((await test.policyState()).uses).toMatchObject({ [ls.id]: { count: 2 }, [rm.id]: { count: 1 } })
    await test.api.call('DELETE', `/api/policy/rules/${ls.id}`)
    expect(Object.keys((await test.policyState()).uses)).toEqual([rm.id])
  })

  it('are told to every stream when they change, without their content', async () => {
    await using test = await startJudgingGateway()
    const stream = await openStream(test.gateway.url, { authorization: `Bearer ${TEST_TOKEN}` })
    stream.send({ type: 'subscribe', ref: 'a' })
    await until(() => stream.messages.some(({ type }) => type === 'subscribed'), 'the subscription')
    const told = () => stream.messages.filter(({ type }) => type === 'policy-changed')
    const { id } = await test.addRule(LS)
    await until(() => told().length === 1, 'the new rule')
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision: 0, rule: RM })
    await until(() => told().length === 2, 'the edit')
    await test.api.call('DELETE', `/api/policy/rules/${id}`)
    await until(() => told().length === 3, 'the removal')
    expect(told()).toEqual(Array(3).fill({ type: 'policy-changed' }))
    stream.close()
  })

  it('T33 are edited by one of two who have read the same revision', async () => {
    await using test = await startJudgingGateway()
    const { id } = await test.addRule(LS)
    await test.api.ok('POST', `/api/policy/rules/${id}`, { revision: 0, rule: RM })
    const late = await test.api.call('POST', `/api/policy/rules/${id}`, { revision: 0, rule: LS })
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'changed' } } })
    expect((await test.policyState()).rules).toMatchObject([{ effect: 'deny', revision: 1 }])
  })
})

describe('a rule that is only checked', () => {
  const check = (test: Awaited<ReturnType<typeof startJudgingGateway>>, body: object) =>
    test.api.ok<{ problem?: string; verdict?: Verdict }>('POST', '/api/policy/check', body)

  it('is refused with what is wrong with it, and not saved', async () => {
    await using test = await startJudgingGateway()
    expect(await check(test, { rule: { ...LS, pattern: 'Bash(' } })).toEqual({
      problem: 'The closing bracket at the end is missing.',
    })
    const { problem } = await check(test, { rule: { ...LS, match: ['rm x'] } })
    expect(problem).toMatch(/^The rule should match "rm x", but does not/)
    expect(await check(test, { rule: LS })).toEqual({})
    expect((await test.policyState()).rules).toEqual([])
  })

  it('is tried as if it were among the others, in the place of the one that is edited', async () => {
    await using test = await startJudgingGateway()
    const { id } = await test.addRule(RM)
    const call = { cwd: test.project, action: { type: 'command', command: 'ls && rm x' } }
    const { verdict } = await check(test, { rule: LS, call })
    expect(verdict).toMatchObject({ effect: 'deny', rule: id })
    expect(verdict?.parts).toMatchObject([
      { part: 'ls', effect: 'allow' },
      { part: 'rm x', effect: 'deny' },
    ])
    expect((await check(test, { rule: LS, id, call })).verdict).toMatchObject({ effect: 'none' })
    expect((await test.policyState()).rules).toMatchObject([{ id, pattern: 'Bash(rm *)' }])
  })

  it('explains a path as somebody sees it from the folder', async () => {
    await using test = await startJudgingGateway()
    const rule = { ...LS, pattern: 'Read(notes/**)' }
    for (const path of ['notes/a.md', './notes/a.md', `${test.project}/notes/a.md`]) {
      const call = { cwd: test.project, action: { type: 'file', use: 'read', path } }
      expect((await check(test, { rule, call })).verdict, path).toMatchObject({ effect: 'allow' })
    }
  })

  it.each([
    [{ cwd: '/' }],
    [{ cwd: '/', tool: 'Bash' }],
    [{ cwd: '/', tool: 'Bash', input: {}, action: { type: 'tool' } }],
  ])('needs a call that says what it is: %j', async (call) => {
    await using test = await startJudgingGateway()
    for (const [path, body] of [
      ['/api/policy/explain', call],
      ['/api/policy/check', { rule: LS, call }],
    ] as const)
      expect((await test.api.call('POST', path, body)).status).toBe(422)
  })
})
