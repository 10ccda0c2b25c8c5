import { createCoreWorld } from '@holdpoint/testing/core-world'
import { askRequest } from '@holdpoint/testing/synthetic-driver'
import { describe, expect, it } from 'vitest'
import { MAX_OPEN_ASKS } from './open-room.ts'
import { MAX_INPUT_LENGTH } from './raising.ts'

describe('raising', () => {
  it('[I5] the same request twice gives one ask, and both hear of its outcome', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const first = agent.ask({ requestId: 'same' })
    const second = agent.ask({ requestId: 'same' })
    const ask = await world.open(session)
    await world.answer(ask, { kind: 'allow' })
    expect(await first).toEqual(await second)
    expect((await world.store.asks({ status: 'all', limit: 10 })).length).toBe(1)
    // Settled and delivered: asked once more it answers at once.
    expect(await agent.ask({ requestId: 'same' })).toMatchObject({ kind: 'allowed' })
  })

  it('[F44] another call under a known request id is refused, not merged', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    void agent.ask({ requestId: 'same' })
    const ask = await world.open(session)
    const other = { name: 'Bash', input: { command: 'rm -rf /' } }
    await expect(agent.ask({ requestId: 'same', tool: other })).rejects.toMatchObject({ code: 'duplicate_request' })
    await world.answer(ask, { kind: 'allow' })
    await expect(agent.ask({ requestId: 'same', tool: other })).rejects.toMatchObject({ code: 'duplicate_request' })
  })

  it('[T21] keeps what was asked, whatever happens to the object afterwards', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const request = askRequest({ requestId: 'r', tool: { name: 'Bash', input: { command: 'ls' } } })
    void agent.start.ask(request, { signal: new AbortController().signal })
    const input = request.tool?.input ?? {}
    input.command = 'rm -rf /'
    expect((await world.open(session)).tool?.input).toEqual({ command: 'ls' })
  })

  it('[F34, I10] takes the input of a large file, and refuses what is larger: the agent and the thread are told why', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const write = (length: number) => ({ name: 'Write', input: { file_path: '/f', content: 'x'.repeat(length) } })
    void agent.ask({ requestId: 'large', tool: write(1_500_000) })
    await world.answer(await world.open(session), { kind: 'allow' })
    const refused = agent.ask({ requestId: 'too large', tool: write(MAX_INPUT_LENGTH) })
    await expect(refused).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(/2,000,000 characters.*smaller/),
    })
    const padding = { cwd: '/', diff: 'x'.repeat(4 * MAX_INPUT_LENGTH) }
    await expect(agent.ask({ requestId: 'padded', context: padding })).rejects.toMatchObject({ code: 'too_large' })
    expect((await world.store.asks({ status: 'all', limit: 10 })).map(({ ask }) => ask.requestId)).toEqual(['large'])
    const notices = async () => {
      const { items } = await world.store.items({ sessionId: session.id, limit: 10 })
      return items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    }
    await expect.poll(notices).toHaveLength(2)
    expect((await notices())[0]).toMatch(/^Write was refused without asking you: .*2,000,000/)
  })

  it(`is bounded: ${MAX_OPEN_ASKS} open asks in a session`, async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    for (let n = 0; n < MAX_OPEN_ASKS; n++) void agent.ask({ requestId: `r${n}` })
    await expect.poll(() => world.view(session)?.asks.size).toBe(MAX_OPEN_ASKS)
    for (const requestId of ['one more', 'and another'])
      await expect(agent.ask({ requestId })).rejects.toMatchObject({ code: 'too_many_open' })
    // People hear of it too, once until one is taken again.
    const notices = async () => {
      world.time.advance(1000)
      const { items } = await world.store.items({ sessionId: session.id, limit: 200 })
      return items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    }
    await expect.poll(notices).toMatchObject([expect.stringContaining(`${MAX_OPEN_ASKS} asks of one agent`)])
  })

  it('is none of a program’s, which could take it back: the same request id is refused, and people are told', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const request = askRequest({ requestId: 'taken' })
    const raisedBy = { id: 'dev_raiser', name: 'CI' } as const
    await world.broker.raise({ sessionId: session.id, epoch: 1, request, raisedBy })
    await expect(agent.ask({ requestId: 'taken' })).rejects.toMatchObject({ code: 'duplicate_request' })
    const notices = async () => {
      world.time.advance(1000)
      const { items } = await world.store.items({ sessionId: session.id, limit: 10 })
      return items.flatMap((item) => (item.type === 'notice' ? [item.text] : []))
    }
    await expect.poll(notices).toMatchObject([expect.stringContaining('same request id')])
  })

  it('from another life of the agent is refused', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    agent.die()
    await expect.poll(() => world.view(session)).toBeUndefined()
    await world.sessions.resume(session.id, { trusted: false })
    await expect(agent.ask({ requestId: 'late' })).rejects.toMatchObject({ code: 'wrong_epoch' })
  })
})

describe('answering', () => {
  it('[I1, F9] first wins, and the others are told who', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const waiting = agent.ask()
    const ask = await world.open(session)
    const people = ['ada', 'ben', 'cleo'].map((name) => ({ device: name, name, role: 'approver' as const }))
    const results = await Promise.all(
      people.map((actor, n) => world.answer(ask, { kind: n === 1 ? 'deny' : 'allow' }, { actor })),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    const outcome = await waiting
    for (const result of results) {
      if (!result.ok) expect(result.refusal).toEqual({ code: 'already_settled', outcome })
    }
  })

  it('[F10, F11] a retry with its key gets the same outcome; with another answer it is refused', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    void agent.ask()
    const ask = await world.open(session)
    const first = await world.answer(ask, { kind: 'allow' }, { retryKey: 'key' })
    expect(await world.answer(ask, { kind: 'allow' }, { retryKey: 'key' })).toEqual(first)
    expect(await world.answer(ask, { kind: 'deny' }, { retryKey: 'key' })).toMatchObject({
      refusal: { code: 'retry_mismatch' },
    })
    expect(await world.answer(ask, { kind: 'allow' }, { retryKey: 'other' })).toMatchObject({
      refusal: { code: 'already_settled' },
    })
  })

  it('[F12, F13] after its time is over does not count, even before a timer says so', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session({ askTimeoutMs: 5000 })
    const waiting = agent.ask()
    const ask = await world.open(session)
    // The clock has moved, but the timer has not had its turn.
    const late = world.answer({ ...ask }, { kind: 'allow' })
    world.time.advance(5000)
    expect(await late).toMatchObject({ ok: false, refusal: { code: 'already_settled', outcome: { kind: 'expired' } } })
    expect(await waiting).toMatchObject({ kind: 'expired' })
  })

  it('[I8] asks again at the moment of the commit whether this person may', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    void agent.ask()
    const ask = await world.open(session)
    let may: 'yes' | 'no' | 'hidden' = 'yes'
    const answering = world.answer(ask, { kind: 'allow' }, { mayAnswer: () => may })
    may = 'no'
    expect(await answering).toMatchObject({ refusal: { code: 'forbidden' } })
    expect(await world.answer(ask, { kind: 'allow' }, { mayAnswer: () => 'hidden' })).toMatchObject({
      refusal: { code: 'not_found' },
    })
    expect(world.view(session)?.asks.size).toBe(1)
  })

  it('[I8] says nothing of an outcome to somebody who may not see the ask', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const waiting = agent.ask()
    const ask = await world.open(session)
    await world.answer(ask, { kind: 'deny' })
    await waiting
    expect(await world.answer(ask, { kind: 'allow' }, { mayAnswer: () => 'hidden' })).toEqual({
      ok: false,
      refusal: { code: 'not_found' },
    })
  })
})

describe('remembering', () => {
  const remember = { kind: 'allow', remember: { scope: 'session' } } as const

  it('settles exactly the same call of the same tool, in this session alone', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const first = agent.ask({ requestId: '1' })
    await world.answer(await world.open(session), remember)
    expect(await first).toMatchObject({ kind: 'allowed', rule: expect.stringMatching(/^rul_/) })
    expect(await agent.ask({ requestId: '2' })).toMatchObject({ kind: 'allowed', via: 'rule' })

    const input = { command: 'echo hello' }
    void agent.ask({ requestId: '3', tool: { name: 'Other', input } })
    expect(await world.open(session)).toMatchObject({ requestId: '3' })
    const elsewhere = await world.session()
    void elsewhere.agent.ask({ requestId: '4' })
    expect(await world.open(elsewhere.session)).toMatchObject({ requestId: '4' })
  })

  it('does not settle asks that are open already', async () => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    void agent.ask({ requestId: '1' })
    const ask = await world.open(session)
    void agent.ask({ requestId: '2' })
    await expect.poll(() => world.view(session)?.asks.size).toBe(2)
    await world.answer(ask, remember)
    expect(world.view(session)?.asks.size).toBe(1)
  })

  it.each([
    ['the agent forbids it', { flags: { defaultToNo: false, noRemember: true } }],
    ['the ask wants a person each time', { flags: { defaultToNo: true, noRemember: false } }],
    ['the user has a rule to be asked', { matchedAskRule: { source: 'userSettings' } }],
  ])('allows once and says so when %s', async (_, request) => {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    const first = agent.ask({ requestId: '1', ...request })
    await world.answer(await world.open(session), remember)
    expect(await first).toMatchObject({ kind: 'allowed', notRemembered: expect.any(String) })
    void agent.ask({ requestId: '2', ...request })
    expect(await world.open(session)).toMatchObject({ requestId: '2' })
  })
})
