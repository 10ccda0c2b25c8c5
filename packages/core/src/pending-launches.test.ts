import type { ItemId, SessionId } from '@holdpoint/schema/id'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { overrideStore } from '@holdpoint/testing/override-store'
import { openTestStore } from '@holdpoint/testing/test-store'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { describe, expect, it } from 'vitest'
import { StoreFault } from './store.ts'

type World = Awaited<ReturnType<typeof createCoreWorld>>

async function endedSession(world: World) {
  const { session } = await world.session()
  await world.sessions.end(session.id)
  await expect.poll(() => world.view(session)).toBeUndefined()
  world.synthetic.agents.delete(session.id)
  return session
}

/** Whether the session has an agent, or has ended: anything else is one that waits for ever. */
async function settles(world: World, id: SessionId, how: 'ended' | 'runs') {
  await expect
    .poll(async () => {
      world.time.advance(1000)
      const state = (await world.store.session(id))?.state
      return state === 'dead' ? 'ended' : world.synthetic.agents.has(id) && state !== 'starting' && 'runs'
    })
    .toBe(how)
}

describe('F57 a start or resumption in doubt', () => {
  it('that is repeated before the log was read leaves no session without an agent', async () => {
    const troubled = await createTroubledStore()
    const world = await createCoreWorld(troubled)
    const ids = { session: 'ses_1' as SessionId, message: 'itm_1' as ItemId }
    troubled.set('blind')
    for (let n = 0; n < 2; n++) await expect(world.session({ prompt: 'go', ids })).rejects.toMatchObject({ code: 'io' })
    troubled.set('none')
    world.session({ prompt: 'go', ids }).catch(() => {})
    await settles(world, ids.session, 'ended')
    expect(world.synthetic.agents.size).toBe(0)
  })

  it('is ended although another resumption of the session is waiting, which is refused', async () => {
    const troubled = await createTroubledStore()
    const world = await createCoreWorld(troubled)
    const session = await endedSession(world)
    troubled.set('doubt')
    await expect(world.sessions.resume(session.id, { trusted: false })).rejects.toMatchObject({ code: 'io' })
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ refusal: 'session_alive' })
    await settles(world, session.id, 'ended')
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ value: { epoch: 3 } })
    await settles(world, session.id, 'runs')
  })

  it('is ended also when the store does not take its end at once', async () => {
    const troubled = await createTroubledStore()
    const world = await createCoreWorld(troubled)
    const session = await endedSession(world)
    troubled.set('doubt')
    await expect(world.sessions.resume(session.id, { trusted: false })).rejects.toMatchObject({ code: 'io' })
    troubled.set('full')
    await expect.poll(() => world.time.advance(1000) ?? world.warnings.length).toBeGreaterThan(0)
    troubled.set('none')
    await settles(world, session.id, 'ended')
  })

  it('that failed does not make another one a failed one', async () => {
    const inner = await openTestStore()
    let fail = () => {}
    let isFailing = false
    const store = overrideStore(inner, {
      async append(appends) {
        if (!isFailing) return inner.append(appends)
        isFailing = false
        await new Promise<void>((resolve) => {
          fail = resolve
        })
        throw new StoreFault('full', 'no space left')
      },
    })
    const world = await createCoreWorld({ store })
    const session = await endedSession(world)
    isFailing = true
    const first = world.sessions.resume(session.id, { trusted: false })
    await expect.poll(() => isFailing).toBe(false)
    const second = world.sessions.resume(session.id, { trusted: false })
    fail()
    await expect(first).rejects.toMatchObject({ code: 'full' })
    expect(await second).toMatchObject({ ok: true, value: { epoch: 2 } })
    await settles(world, session.id, 'runs')
  })
})
