import { createCoreWorld } from '@holdpoint/testing/core-world'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openTestStore } from '@holdpoint/testing/test-store'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { expect, it } from 'vitest'
import { RecordDamaged } from './store.ts'

/** A session whose agent was told no, and ran the call all the same. Looking up the ask waits until `release`. */
async function deniedCall() {
  const inner = await openTestStore()
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  let lookups = 0
  const store = overrideStore(inner, {
    async askByToolUse(key) {
      lookups++
      await isReleased
      return inner.askByToolUse(key)
    },
  })
  const world = await createCoreWorld({ store })
  const { session, agent } = await world.session({ prompt: 'go', trusted: true })
  const waiting = agent.ask({ requestId: 'r' })
  await world.answer(await world.open(session), { kind: 'deny' })
  await waiting
  const compared = agent.start.ran({ toolUseId: 'tool-r', name: 'Bash', input: { command: 'echo hello' } })
  await expect.poll(() => lookups).toBe(1)
  return { world, session, agent, compared, release }
}

it('[T39, T40] records an alarm about a call whose agent has ended while it was compared', async () => {
  const { world, session, agent, compared, release } = await deniedCall()
  agent.die()
  await expect.poll(() => world.view(session)).toBeUndefined()
  release()
  await compared
  expect(await world.store.session(session.id)).toMatchObject({ state: 'dead', frozen: true })
  const events = (await world.store.events({ after: 0, limit: 100 })).map(({ event }) => event)
  expect(events).toContainEqual(expect.objectContaining({ type: 'alarm', code: 'ran-after-deny' }))
  expect(agent.interrupts()).toBe(0)
})

it('[T39, T40] resumes no session without a person before the calls of its last life are compared', async () => {
  const { world, session, release } = await deniedCall()
  await world.sessions.end(session.id, { epoch: 1, notice: 'it has changed' })
  const resumed = world.sessions.resume(session.id, { trusted: false, unattended: true })
  release()
  expect(await resumed).toMatchObject({ ok: false, refusal: 'session_frozen' })
})

it('[T39, T40] freezes a session when the ask of a call that ran cannot be read, and keeps nobody waiting', async () => {
  const inner = await openTestStore()
  const store = overrideStore(inner, {
    askByToolUse: () => Promise.reject(new RecordDamaged('it was changed')),
  })
  const world = await createCoreWorld({ store })
  const { session, agent } = await world.session()
  await agent.start.ran({ toolUseId: 't', name: 'Bash', input: {} })
  expect(world.view(session)?.session.frozen).toBe(true)
  await world.sessions.end(session.id)
  expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true })
})

it.each(['doubt', 'flush-failed', 'lost'] as const)(
  '[T40, F57] records one alarm about a call and stops its agent when the commit fails at its last step: %s',
  async (trouble) => {
    const troubled = await createTroubledStore()
    const world = await createCoreWorld(troubled)
    const { session, agent } = await world.session({ prompt: 'go' })
    const waiting = agent.ask({ requestId: 'r' })
    await world.answer(await world.open(session), { kind: 'deny' })
    await waiting
    await expect.poll(() => world.view(session)?.undelivered.size).toBe(0)
    troubled.set(trouble)
    const compared = agent.start.ran({ toolUseId: 'tool-r', name: 'Bash', input: { command: 'echo hello' } })
    let isCompared = false
    void compared.then(() => {
      isCompared = true
    })
    await expect.poll(() => world.time.advance(1000) ?? isCompared).toBe(true)
    const events = (await world.store.events({ after: 0, limit: 100 })).map(({ event }) => event.type)
    expect(events.filter((type) => type === 'alarm')).toHaveLength(1)
    expect(agent.interrupts()).toBe(1)
  },
)
