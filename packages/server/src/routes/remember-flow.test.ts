import type { Rule } from '@holdpoint/schema/rule'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { describe, expect, it } from 'vitest'

const SESSION = { scope: 'session' }

describe('allow and remember', () => {
  it('T32 settles the same call later in the same session, and nothing else', async () => {
    await using test = await startTestGateway()
    const { session, agent } = await test.session()
    const other = await test.session()
    const { ask: sibling } = await test.openAsk(agent, { requestId: 'open already' })
    const { ask, outcome } = await test.openAsk(agent)
    const reply = await test.api.answer(ask, { kind: 'allow', remember: SESSION })
    const { rule } = reply.body.outcome as { rule: string }
    await outcome
    expect((await test.api.openAsks()).map(({ id }) => id)).toEqual([sibling.id])

    expect(await agent.ask()).toMatchObject({ kind: 'allowed', via: 'rule', rule })
    expect((await agent.ask()).by).toBeUndefined()
    for (const different of [
      { tool: { name: 'Bash', input: { command: 'echo hello; rm -rf /' } } },
      { tool: { name: 'Shell', input: { command: 'echo hello' } } },
      { flags: { defaultToNo: true, noRemember: false } },
      { flags: { defaultToNo: false, noRemember: true } },
      { matchedAskRule: { rule: 'Bash' } },
    ]) {
      const opened = await test.openAsk(agent, different)
      expect(opened.ask.outcome, JSON.stringify(different)).toBeUndefined()
    }
    await test.openAsk(other.agent)

    const { rules } = await test.api.ok<{ rules: Rule[] }>('GET', '/api/rules')
    expect(rules).toEqual([
      expect.objectContaining({
        id: rule,
        scope: 'session',
        sessionId: session.id,
        tool: 'Bash',
        rule: 'Bash(echo hello) in /somewhere',
        epoch: 1,
        askId: ask.id,
        by: expect.objectContaining({ role: 'owner' }),
      }),
    ])
    expect((await test.api.call('DELETE', `/api/rules/${rule}`)).status).toBe(204)
    expect((await test.api.call('DELETE', `/api/rules/${rule}`)).status).toBe(404)
    expect(await test.api.ok('GET', '/api/rules')).toEqual({ rules: [] })
    await test.openAsk(agent)
  })

  it.each([
    [{ scope: 'project' }],
    [{ scope: 'everywhere' }],
    [{ scope: 'session', until: 2_000_000_000_000 }],
    [{ scope: 'session', rule: 'Bash(*)' }],
    [{ scope: 'session', rule: '' }],
    [{ scope: 'galaxy' }],
    [{}],
    [true],
  ])('refuses to remember %j, and the ask stays open', async (remember) => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const reply = await test.api.answer(ask, { kind: 'allow', remember })
    expect(reply).toMatchObject({ status: 422, body: { error: { code: 'invalid_answer' } } })
    expect((await test.api.openAsks()).length).toBe(1)
  })

  it('takes the rule’s own text as confirmation', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const reply = await test.api.answer(ask, {
      kind: 'allow',
      remember: { ...SESSION, rule: 'Bash(echo hello) in /somewhere' },
    })
    expect(reply).toMatchObject({ status: 200, body: { outcome: { rule: expect.stringMatching(/^rul_/) } } })
  })

  it.each([
    [{ flags: { defaultToNo: false, noRemember: true } }],
    [{ flags: { defaultToNo: true, noRemember: false } }],
    [{ matchedAskRule: { rule: 'Bash' } }],
  ])('allows once where remembering is not allowed, and says so: %j', async (request) => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent, request)
    const reply = await test.api.answer(ask, { kind: 'allow', remember: SESSION })
    expect(reply).toMatchObject({
      status: 200,
      body: { outcome: { kind: 'allowed', notRemembered: expect.any(String) } },
    })
    expect((reply.body.outcome as { rule?: string }).rule).toBeUndefined()
    expect(await test.api.ok('GET', '/api/rules')).toEqual({ rules: [] })
  })

  it('does not remember an edited input', async () => {
    await using test = await startTestGateway()
    const { agent } = await test.session()
    const { ask } = await test.openAsk(agent)
    const answer = { kind: 'allow', updatedInput: { command: 'other' }, remember: SESSION }
    expect((await test.api.answer(ask, answer)).status).toBe(422)
    expect(await test.api.ok('GET', '/api/rules')).toEqual({ rules: [] })
  })
})
