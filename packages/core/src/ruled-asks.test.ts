import type { AskRequest } from '@holdpoint/schema/ask'
import type { Verdict } from '@holdpoint/schema/policy'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import type { RaiseCall } from './raising.ts'

const RULE = 'rul_1' as const
const verdict = (effect: Verdict['effect'], rule = true): Verdict => ({
  effect,
  reason: `${effect}: because.`,
  ...(rule && { rule: RULE }),
  parts: [{ part: 'x', effect, reason: 'because.', ...(rule && { rule: RULE }) }],
})

async function worldWith(first: Verdict, look?: () => Promise<() => Verdict>) {
  let said = first
  const world = await createCoreWorld({ policy: { look: look ?? (async () => () => said) } })
  const { session } = await world.session()
  let count = 0
  const raise = (call: Partial<RaiseCall> = {}, request: Partial<AskRequest> = {}) =>
    world.broker.raise({
      sessionId: session.id,
      epoch: 1,
      request: askRequest({ requestId: `request ${++count}`, ...request }),
      ...call,
    })
  return {
    ...world,
    started: session,
    raise,
    say(next: Verdict) {
      said = next
    },
  }
}

describe('what the rules say of a call', () => {
  it('is its outcome at once where they deny, whoever raises it', async () => {
    const { raise } = await worldWith(verdict('deny'))
    const denied = { kind: 'denied', via: 'rule', reason: 'deny: because.', rules: [RULE] }
    expect(await raise()).toMatchObject({ ok: true, outcome: denied })
    expect(await raise({ mayRuleAllow: true })).toMatchObject({ ok: true, outcome: denied })
    expect(await raise({ raisedBy: { id: 'dev_ci', name: 'CI' } })).toMatchObject({ ok: true, outcome: denied })
  })

  it('allows only where the driver says that no other gate requires a person', async () => {
    const { raise } = await worldWith(verdict('allow'))
    const allowed = await raise({ mayRuleAllow: true })
    expect(allowed).toMatchObject({ ok: true, outcome: { kind: 'allowed', via: 'rule', rules: [RULE] } })
    expect(allowed).not.toHaveProperty('outcome.by')
    const open = await raise()
    expect(open).toMatchObject({
      ok: true,
      ask: { askedBecause: { reason: expect.stringContaining('requires a person') } },
    })
    expect(open).not.toHaveProperty('outcome')
  })

  it('is on the ask that waits for a person, with the rule', async () => {
    const { raise } = await worldWith(verdict('ask'))
    const open = await raise({ mayRuleAllow: true })
    expect(open).toMatchObject({ ok: true, ask: { askedBecause: { reason: 'ask: because.', rule: RULE } } })
    expect(open).not.toHaveProperty('outcome')
  })

  it('is on the ask with why the rule asks, of which there is an end', async () => {
    for (const [why, shown] of [
      ['It may cost money.', 'It may cost money.'],
      ['x'.repeat(1000), `${'x'.repeat(300)}…`],
    ] as const) {
      const { raise } = await worldWith({ ...verdict('ask'), why })
      expect(await raise()).toMatchObject({ ask: { askedBecause: { rule: RULE, why: shown } } })
    }
  })

  it('is not asked of questions, plans and forms', async () => {
    const { raise } = await worldWith(verdict('deny'))
    const questions = [{ question: 'Which?', options: [{ label: 'This' }], multiSelect: false }]
    expect(await raise({}, { kind: 'question', questions })).not.toHaveProperty('outcome')
    expect(await raise({}, { kind: 'plan', plan: { text: 'x' } })).not.toHaveProperty('outcome')
  })

  it('I4 is a reason to ask where it cannot be found out', async () => {
    const failing = await worldWith(verdict('allow'), () => Promise.reject(new Error('the disk is gone')))
    const open = await failing.raise({ mayRuleAllow: true })
    expect(open).toMatchObject({ ok: true, ask: { askedBecause: { reason: expect.stringContaining('could not be') } } })
    expect(open).not.toHaveProperty('outcome')
    expect(await failing.broker.judge(failing.started.id, { tool: { name: 'Bash', input: {} } })).toMatchObject({
      effect: 'ask',
    })
  })

  it('counts as it is when the ask is recorded, not as it was when it was looked up', async () => {
    let now = verdict('allow')
    const { raise } = await worldWith(now, async () => {
      // Removed while the files are looked at.
      now = verdict('none', false)
      return () => now
    })
    expect(await raise({ mayRuleAllow: true })).not.toHaveProperty('outcome')
  })

  it('I1 is not asked for again of a call that is on record, when its agent is taken over', async () => {
    const world = await worldWith(verdict('ask'))
    await world.raise({}, { requestId: 'held' })
    const policy = { look: async () => () => verdict('none', false) }
    const next = await createCoreWorld({ store: world.store, policy })
    next.sessions.reattach()
    const { start } = await next.synthetic.agentOf(world.started.id)
    const call = { tool: { name: 'Bash', input: {} } }
    expect(await start.judge(call, 'held')).toBe('ask')
    expect(await start.judge(call, 'another')).toBe('none')
  })

  it('T32 beats an answer that was remembered, where it asks or denies', async () => {
    const world = await worldWith(verdict('none', false))
    const call = { tool: { name: 'Bash', input: { command: 'make' } } }
    const first = await world.raise({}, call)
    if (!first.ok) throw new Error(first.refusal)
    await world.answer(first.ask, { kind: 'allow', remember: { scope: 'session' } })
    expect(await world.raise({}, call)).toMatchObject({ outcome: { kind: 'allowed', via: 'rule' } })
    world.say(verdict('ask'))
    expect(await world.raise({}, call)).not.toHaveProperty('outcome')
    world.say(verdict('deny'))
    expect(await world.raise({}, call)).toMatchObject({ outcome: { kind: 'denied' } })
  })
})
