import { createCoreWorld } from '@holdpoint/testing/core-world'
import {
  eventsOf,
  PERSON,
  sampleAsk,
  sampleMessage,
  sampleSession,
} from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { mayLeave, retireSession } from './retiring.ts'
import { evolve, type SessionView } from './session-view.ts'

const one = eventsOf(1)

function after(...events: Parameters<typeof evolve>[1][]): SessionView {
  return events.reduce<SessionView>((view, event) => evolve(view, event), evolve(undefined, one.started()))
}

it('lets a session leave that has ended, with nothing open and nothing on its way (I5, I9)', () => {
  const asked = [one.raised(sampleAsk(1)), one.settled(1)]
  expect(mayLeave(after(...asked, one.delivered(1), one.ended()))).toBe(true)
  expect(mayLeave(after(...asked, one.delivered(1)))).toBe(false)
  expect(mayLeave(after(...asked, one.ended()))).toBe(false)
  expect(mayLeave(after(one.raised(sampleAsk(1)), one.ended()))).toBe(false)
  expect(mayLeave(after(one.added(sampleMessage(1, { status: 'queued' })), one.ended()))).toBe(false)
  const deleted = { type: 'session-deleted', sessionId: sampleSession(1).id, at: 1, by: PERSON } as const
  expect(mayLeave(after(one.ended(), deleted))).toBe(false)
})

it('keeps nothing of a deleted session but what it was', () => {
  const session = sampleSession(1, {
    title: 'A secret',
    vendorSessionId: 'secret',
    model: 'secret',
    endReason: 'secret',
  })
  const deleted = { type: 'session-deleted', sessionId: session.id, at: 7, by: PERSON } as const
  const view = [one.raised(sampleAsk(1)), one.ended(), deleted].reduce<SessionView>(
    (each, event) => evolve(each, event),
    evolve(undefined, one.started(session)),
  )
  expect(view).toMatchObject({ session: { state: 'dead', openAsks: 0, deleted: { at: 7, by: PERSON } }, queue: [] })
  expect(JSON.stringify([view, [...view.asks]])).not.toContain('secret')
})

it('forgets that a session was in the archive once it goes on', () => {
  const retired = {
    type: 'session-retired',
    sessionId: sampleSession(1).id,
    at: 7,
    archive: '2026-08',
    events: 2,
    head: '',
    sum: '',
  } as const
  const view = after(one.ended(), retired)
  expect(view.session.retired).toEqual({ at: 7, archive: '2026-08' })
  const changed = { type: 'session-changed', sessionId: sampleSession(1).id, at: 8 } as const
  expect(evolve(view, { ...changed, changes: { title: 'Other' } }).session.retired).toBeDefined()
  expect(evolve(view, { ...changed, changes: { state: 'starting', epoch: 2 } }).session.retired).toBeUndefined()
})

it('records nothing where the session has had another life since its part was written', async () => {
  const { ledger, store, sessions, session } = await createCoreWorld()
  const { id } = (await session()).session
  await sessions.end(id)
  const written = await store.retirement.write(id)
  if (!written) throw new Error('it can be retired')
  const retirement = Object.assign(Object.create(store.retirement), {
    write: async () => ({ ...written, epoch: written.epoch - 1 }),
  })
  expect(await retireSession({ ledger, store: { retirement } }, id, {})).toBeUndefined()
  expect((await store.session(id))?.retired).toBeUndefined()
})
