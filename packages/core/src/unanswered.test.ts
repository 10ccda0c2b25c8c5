import { createCoreWorld } from '@holdpoint/testing/core-world'
import { expect, it } from 'vitest'

const LINE = /^Nobody answered your last request in time, so your turn was stopped\. This was not a refusal/
const STOPS = { askTimeoutMs: 1000, onTimeout: 'interrupt', prompt: 'go' } as const

type World = Awaited<ReturnType<typeof createCoreWorld>>
type Started = Awaited<ReturnType<World['session']>>

/** An ask that nobody answers. */
async function letExpire(world: World, { session, agent }: Started, request: Parameters<typeof agent.ask>[0] = {}) {
  await expect.poll(() => world.view(session)?.session.state).toBe('assistant_turn')
  const outcome = agent.ask(request)
  await world.open(session)
  world.time.advance(1000)
  expect(await outcome).toMatchObject({ kind: 'expired' })
}

const texts = ({ agent }: Started) => agent.messages.map(({ text }) => text)

it('tells an agent whose turn was stopped, with the next message and no other, that nobody was there', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await letExpire(world, started)
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: 'Try the other way.' })
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: 'And then?' })
  expect(texts(started)).toEqual(['go', expect.stringMatching(LINE), 'And then?'])
  expect(texts(started)[1]?.endsWith('\n\nTry the other way.')).toBe(true)
})

it('shows people what the agent was told beside their message, which stays as they wrote it', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await letExpire(world, started)
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: 'Try the other way.' })
  const { items } = await world.store.items({ sessionId: started.session.id, limit: 10 })
  expect(items.slice(-2)).toMatchObject([
    { type: 'message', text: 'Try the other way.', status: 'sent' },
    { type: 'notice', level: 'info', text: expect.stringContaining('Nobody answered your last request in time') },
  ])
})

it('tells it with a message that was queued before the time was up', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await expect.poll(() => texts(started)).toEqual(['go'])
  await world.sessions.send(started.session.id, { text: 'queued' })
  await letExpire(world, started)
  await started.agent.endTurn()
  expect(texts(started)).toEqual(['go', expect.stringMatching(LINE)])
})

it('leaves a command as it is, and tells with the message after it', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await letExpire(world, started)
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: '/compact' })
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: '/etc/hosts is wrong' })
  expect(texts(started)).toEqual(['go', '/compact', expect.stringMatching(LINE)])
})

it('tells nothing where the agent was told by the answer, where a person said no, or where a program had asked', async () => {
  const world = await createCoreWorld()
  const told = await world.session({ ...STOPS, onTimeout: 'deny' })
  await letExpire(world, told)
  await told.agent.endTurn()
  await world.sessions.send(told.session.id, { text: 'next' })
  expect(texts(told)).toEqual(['go', 'next'])

  const denied = await world.session(STOPS)
  await expect.poll(() => texts(denied)).toEqual(['go'])
  const outcome = denied.agent.ask()
  await world.answer(await world.open(denied.session), { kind: 'deny', interrupt: true })
  expect(await outcome).toMatchObject({ kind: 'denied' })
  const raised = await world.broker.raise({
    sessionId: denied.session.id,
    epoch: 1,
    request: {
      requestId: 'raised',
      kind: 'approval',
      title: 'x',
      context: {},
      suggestions: [],
      flags: { defaultToNo: false, noRemember: false },
    },
    raisedBy: { id: 'dev_00000000000000000000000001', name: 'a program' },
  })
  world.time.advance(1000)
  expect(raised.ok && (await world.broker.outcome(raised.ask.id, { signal: AbortSignal.timeout(5000) })).kind).toBe(
    'expired',
  )
  await denied.agent.endTurn()
  await world.sessions.send(denied.session.id, { text: 'next' })
  expect(texts(denied)).toEqual(['go', 'next'])
})

it('tells nothing of an appeal that nobody answered: that stops no turn', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await letExpire(world, started, { appeal: { reason: 'It runs an unknown script.' } })
  await started.agent.endTurn()
  await world.sessions.send(started.session.id, { text: 'next' })
  expect(texts(started)).toEqual(['go', 'next'])
})

it('tells it after a restart, and the same again where the message may not have arrived', async () => {
  const first = await createCoreWorld()
  const started = await first.session(STOPS)
  await letExpire(first, started)
  await started.agent.endTurn()
  await first.sessions.close()
  await first.ledger.close()
  const second = await createCoreWorld({ store: first.store })
  second.sessions.reattach()
  const again = await second.synthetic.agentOf(started.session.id)
  await second.sessions.send(started.session.id, { text: 'next' })
  await expect.poll(() => again.messages.map(({ text }) => text)).toEqual([expect.stringMatching(LINE)])
  await second.sessions.close()
  await second.ledger.close()
  const third = await createCoreWorld({ store: first.store })
  third.sessions.reattach()
  const last = await third.synthetic.agentOf(started.session.id)
  expect(last.start.attach?.sent).toEqual(again.messages[0])
})

it('tells it in the next life of a session that has ended', async () => {
  const world = await createCoreWorld()
  const started = await world.session(STOPS)
  await letExpire(world, started)
  await started.agent.endTurn()
  await world.sessions.end(started.session.id)
  await world.sessions.resume(started.session.id, { trusted: false, prompt: { text: 'go on' } })
  await expect
    .poll(() => world.synthetic.agents.get(started.session.id)?.messages.map(({ text }) => text))
    .toEqual([expect.stringMatching(LINE)])
})
