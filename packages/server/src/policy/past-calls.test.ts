import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAction } from '@holdpoint/agents/claude/asks/call-action'
import type { Suggestion } from '@holdpoint/core/policy/suggestions'
import type { DryRunResult } from '@holdpoint/schema/endpoints/policy'
import { PolicyRule } from '@holdpoint/schema/policy'
import { createSyntheticDriver, type SyntheticAgent } from '@holdpoint/testing/synthetic-driver'
import { startTestGateway, type TestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createPastCalls } from './past-calls.ts'

async function startGateway() {
  const project = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-project-')))
  onTestFinished(() => rm(project, { recursive: true, force: true }))
  const { driver, agentOf } = createSyntheticDriver('synthetic')
  const test = await startTestGateway({ drivers: () => [{ ...driver, actionOf: callAction }] })
  const session = await test.api.ok<{ id: `ses_${string}`; cwd: string }>('POST', '/api/sessions', {
    agent: 'synthetic',
    cwd: project,
  })
  return { test, session, agent: await agentOf(session.id) }
}

async function settle(
  test: TestGateway,
  agent: SyntheticAgent,
  command: string,
  answer: { kind: string },
  more: Record<string, unknown> = {},
) {
  const { cwd } = agent.start
  const tool = { name: 'Bash', input: { command, ...more } }
  const { ask, outcome } = await test.openAsk(agent, { title: `Bash: ${command}`, tool, context: { cwd, command } })
  await test.api.answer(ask, answer)
  await outcome
  return ask
}

const rule = (pattern: string) => ({ effect: 'allow', agent: '*', pattern, scope: { kind: 'everywhere' } })

describe('past calls', () => {
  it('show what a rule would have allowed, and which of it a person denied', async () => {
    const { test, agent } = await startGateway()
    await using _ = test
    for (const command of ['ls src', 'ls', 'cat a']) await settle(test, agent, command, { kind: 'allow' })
    const no = await settle(test, agent, 'ls lib', { kind: 'deny' })
    const dryRun = (pattern: string, more = {}) =>
      test.api.call('POST', '/api/policy/dry-run', { rule: rule(pattern), ...more })
    const { body, status } = await dryRun('Bash(ls *)')
    expect(status).toBe(200)
    expect(body as DryRunResult).toMatchObject({ days: 30, asks: 3, allowed: 2, denied: 1 })
    expect((body as DryRunResult).deniedAsks).toMatchObject([{ id: no.id, title: 'Bash: ls lib' }])
    expect((await dryRun('Bash(echo *)')).body).toMatchObject({ asks: 0, deniedAsks: [] })
    expect((await dryRun('Bash(')).status).toBe(422)
    expect((await dryRun('Bash(ls)', { days: 0 })).status).toBe(422)
    expect(await test.api.ok('GET', '/api/policy')).toMatchObject({ rules: [] })
  })

  it('are left alone when nobody waits any more', async () => {
    const { test, agent } = await startGateway()
    await using _ = test
    await settle(test, agent, 'ls', { kind: 'allow' })
    const past = createPastCalls({
      store: test.store,
      rules: { list: () => [] },
      actionOf: (_agent, call) => callAction(call),
      home: '/home',
      guarded: [],
      now: Date.now,
    })
    const tried = PolicyRule.parse({ ...rule('Bash(ls)'), id: `rul_${'0'.repeat(26)}`, at: 0, revision: 0 })
    expect(await past.dryRun(tried, 30)).toMatchObject({ asks: 1 })
    await expect(past.dryRun(tried, 30, AbortSignal.abort())).rejects.toThrow('aborted')
  })

  it('count those in the background for a rule that asks or denies; no rule allows them', async () => {
    const { test, agent } = await startGateway()
    await using _ = test
    for (let n = 0; n < 5; n++)
      await settle(test, agent, 'touch built.txt', { kind: 'allow' }, { run_in_background: true })
    const dryRun = (effect: string) =>
      test.api.ok('POST', '/api/policy/dry-run', { rule: { ...rule('Bash(touch built.txt)'), effect } })
    expect(await dryRun('deny')).toMatchObject({ asks: 5, allowed: 5 })
    expect(await dryRun('ask')).toMatchObject({ asks: 5 })
    expect(await dryRun('allow')).toMatchObject({ asks: 0 })
    expect(await test.api.ok('GET', '/api/policy/suggestions')).toEqual({ suggestions: [] })
  })

  it('speak for a rule where people have allowed the same five times and never denied it', async () => {
    const { test, session, agent } = await startGateway()
    await using _ = test
    for (let n = 0; n < 5; n++) await settle(test, agent, 'touch built.txt', { kind: 'allow' })
    for (let n = 0; n < 5; n++) await settle(test, agent, 'npm publish', { kind: 'allow' })
    for (let n = 0; n < 5; n++) await settle(test, agent, 'npm run lint', { kind: n === 2 ? 'deny' : 'allow' })
    const suggested = async () =>
      (await test.api.ok<{ suggestions: Suggestion[] }>('GET', '/api/policy/suggestions')).suggestions
    const [only, ...others] = await suggested()
    expect(others).toEqual([])
    expect(only).toMatchObject({
      rule: { effect: 'allow', pattern: 'Bash(touch built.txt)', scope: { kind: 'project', folder: session.cwd } },
      saved: 5,
    })
    await test.api.ok('POST', '/api/policy/rules', { ...rule('Bash(touch built.txt)') })
    expect(await suggested()).toEqual([])
  })
})
