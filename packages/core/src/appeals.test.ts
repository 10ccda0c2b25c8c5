import type { Ask, AskRequest } from '@holdpoint/schema/ask'
import type { Verdict } from '@holdpoint/schema/policy'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RaiseCall } from './raising.ts'

const NOTHING: Verdict = { effect: 'none', reason: 'No rule.', parts: [] }
const tool = { name: 'Bash', input: { command: 'sh run.sh' } }
const files: AskRequest['files'] = [{ path: '/somewhere/run.sh', use: 'runs', sha256: 'a'.repeat(64) }]
const appeal = { reason: 'It runs an unknown script.' }
const granted = { kind: 'allowed', via: 'appeal', by: { name: 'a person' } }

let verdict = NOTHING
beforeEach(() => {
  verdict = NOTHING
})

/** A session whose agent works on a message, with an appeal that was answered. */
async function worldWith(answer: 'allow' | 'deny' | 'none' = 'allow', first: Partial<RaiseCall> = {}) {
  const world = await createCoreWorld({ policy: { look: async () => () => verdict } })
  const { session, agent } = await world.session({ prompt: 'go', permissionMode: 'auto' })
  let count = 0
  const raise = async (request: Partial<AskRequest> = {}, call: Partial<RaiseCall> = { mayRuleAllow: true }) => {
    const full = askRequest({ requestId: `request ${++count}`, tool, files, ...request })
    const raised = await world.broker.raise({ sessionId: session.id, epoch: 1, request: full, ...call })
    if (!raised.ok) throw new Error(raised.refusal)
    return raised
  }
  const refused = async (call: Partial<RaiseCall> = {}): Promise<Ask> => (await raise({ appeal }, call)).ask
  const asked = await refused(first)
  if (answer !== 'none') await world.answer(asked, { kind: answer })
  const isGranted = () => world.broker.isGranted(session.id, { tool, cwd: '/somewhere' })
  return { ...world, started: session, agent, raise, refused, asked, isGranted }
}

describe('a yes to an appeal', () => {
  it('I1 allows the same call once, and says whose yes it was', async () => {
    const { raise, asked, isGranted } = await worldWith()
    expect(await isGranted()).toBe(true)
    expect(await raise()).toMatchObject({ outcome: { ...granted, appeal: asked.id } })
    expect(await isGranted()).toBe(false)
    expect(await raise()).not.toHaveProperty('outcome')
  })

  it('I1 is used up by one of several calls that come at the same time', async () => {
    const { raise } = await worldWith()
    const raised = await Promise.all([raise(), raise(), raise()])
    expect(raised.filter(({ outcome }) => outcome)).toHaveLength(1)
  })

  it('I1 is there again for the same request alone, which may be delivered again', async () => {
    const { raise, asked } = await worldWith()
    const request = { requestId: 'the same' }
    expect(await raise(request)).toMatchObject({ outcome: { appeal: asked.id } })
    expect(await raise(request)).toMatchObject({ outcome: { appeal: asked.id } })
    expect(await raise()).not.toHaveProperty('outcome')
  })

  it.each<[string, Partial<AskRequest>]>([
    ['another tool', { tool: { ...tool, name: 'Other' } }],
    ['another input', { tool: { name: 'Bash', input: { command: 'sh run.sh ' } } }],
    ['one more field', { tool: { name: 'Bash', input: { ...tool.input, run_in_background: true } } }],
    ['a tool of a server', { tool: { ...tool, mcpServer: { name: 'x', source: 'y' } } }],
    ['another folder', { context: { cwd: '/elsewhere' } }],
    ['a folder that is not known', { context: {} }],
    ['another content of the script', { files: [{ path: '/somewhere/run.sh', use: 'runs', sha256: null }] }],
    ['files that are not known', { filesUnknown: 'It may run more.' }],
    ['another appeal', { appeal }],
  ])('I6 does not count for %s', async (_, change) => {
    const { raise } = await worldWith()
    expect(await raise(change)).not.toHaveProperty('outcome')
    expect(await raise()).toMatchObject({ outcome: granted })
  })

  it('does not count where the agent itself requires a person, nor for a program', async () => {
    const { raise } = await worldWith()
    expect(await raise({}, {})).not.toHaveProperty('outcome')
    const raisedBy = { id: 'dev_ci', name: 'CI' } as const
    expect(await raise({}, { mayRuleAllow: true, raisedBy })).not.toHaveProperty('outcome')
  })

  it('T27 to what a program calls an appeal lets no agent through', async () => {
    const { raise, isGranted } = await worldWith('allow', { raisedBy: { id: 'dev_ci', name: 'CI' } })
    expect(await isGranted()).toBe(false)
    expect(await raise()).not.toHaveProperty('outcome')
  })

  it('does not count in another session', async () => {
    const { session, broker } = await worldWith()
    const { session: second } = await session()
    const request = askRequest({ tool, files })
    const raised = await broker.raise({ sessionId: second.id, epoch: 1, request, mayRuleAllow: true })
    expect(raised).not.toHaveProperty('outcome')
    expect(await broker.isGranted(second.id, { tool, cwd: '/somewhere' })).toBe(false)
  })

  it('ends with the turn', async () => {
    const { raise, agent, isGranted } = await worldWith()
    await agent.endTurn()
    expect(await isGranted()).toBe(false)
    expect(await raise()).not.toHaveProperty('outcome')
  })

  it('ends when the mode changes', async () => {
    const { raise, sessions, started } = await worldWith()
    expect(await sessions.setMode(started.id, 'default')).toMatchObject({ ok: true })
    expect(await raise()).not.toHaveProperty('outcome')
  })

  it('ends with the gateway: after a restart people are asked again', async () => {
    const { store, started } = await worldWith()
    const next = await createCoreWorld({ store })
    const request = askRequest({ requestId: 'later', tool, files })
    const raised = await next.broker.raise({ sessionId: started.id, epoch: 1, request, mayRuleAllow: true })
    expect(raised).toMatchObject({ ok: true })
    expect(raised).not.toHaveProperty('outcome')
  })

  it.each(['ask', 'deny'] as const)('T32 does not beat a rule that says %s', async (effect) => {
    const { raise } = await worldWith()
    verdict = { effect, reason: 'A rule.', rule: 'rul_1', parts: [] }
    const { outcome } = await raise()
    expect(outcome?.kind).toBe(effect === 'deny' ? 'denied' : undefined)
  })
})

describe('an appeal', () => {
  it('I4 that is denied, or not answered, changes nothing', async () => {
    for (const answer of ['deny', 'none'] as const) {
      const { raise, isGranted } = await worldWith(answer)
      expect(await isGranted()).toBe(false)
      expect(await raise()).not.toHaveProperty('outcome')
    }
  })

  it('is denied by a rule at once, and allowed by none', async () => {
    const { refused, broker } = await worldWith('none')
    verdict = { effect: 'deny', reason: 'A rule.', rule: 'rul_1', parts: [] }
    expect((await broker.find((await refused()).id))?.outcome?.kind).toBe('denied')
    verdict = { effect: 'allow', reason: 'A rule.', rule: 'rul_1', parts: [] }
    expect((await broker.find((await refused()).id))?.outcome).toBeUndefined()
  })

  it('is not remembered, and not answered by what was', async () => {
    const { raise, refused, answer, asked, broker } = await worldWith('none')
    const ordinary = await raise({}, {})
    await answer(ordinary.ask, { kind: 'allow', remember: { scope: 'session' } })
    expect((await broker.find((await refused()).id))?.outcome).toBeUndefined()
    const said = await answer(asked, { kind: 'allow', remember: { scope: 'session' } })
    expect(said).toMatchObject({ outcome: { kind: 'allowed', notRemembered: expect.stringContaining('each time') } })
  })

  it('I6 cannot be allowed with another input: the agent has to make the call itself', async () => {
    const { answer, asked } = await worldWith('none')
    const said = await answer(asked, { kind: 'allow', updatedInput: { command: 'sh other.sh' } })
    expect(said).toMatchObject({ ok: false, refusal: { code: 'invalid_answer' } })
  })
})
