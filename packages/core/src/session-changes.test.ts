import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { describe, expect, it } from 'vitest'
import type { AgentDriver } from './driver.ts'

/** A session in one mode, and what its agent is told when a change to another one goes wrong. */
async function failedChange(before: PermissionMode, wanted: PermissionMode, trouble: 'full' | 'lost' | 'doubt') {
  const troubled = await createTroubledStore()
  const world = await createCoreWorld(troubled)
  const told: PermissionMode[] = []
  const { driver } = world.synthetic
  const setMode = async (mode: PermissionMode) => void told.push(mode)
  const embedded: AgentDriver = { ...driver, start: async (start) => ({ ...(await driver.start(start)), setMode }) }
  const { session } = await world.session({ permissionMode: before, embedded })
  await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
  troubled.set(trouble)
  await expect(world.sessions.setMode(session.id, wanted)).rejects.toHaveProperty('code')
  return told
}

it.each([
  ['bypassPermissions', 'default', 'default'],
  ['acceptEdits', 'bypassPermissions', 'acceptEdits'],
] as const)(
  '[I4] leaves the agent in the stricter of %s and %s when the record of the change is in doubt',
  async (before, wanted, left) => {
    expect((await failedChange(before, wanted, 'doubt')).at(-1)).toBe(left)
  },
)

it.each(['full', 'lost'] as const)(
  'takes a mode back that is known not to be recorded: the commit was %s',
  async (trouble) => {
    expect(await failedChange('bypassPermissions', 'default', trouble)).toEqual(['default', 'bypassPermissions'])
  },
)

it('[I4] changes a mode one after another: what one takes back does not undo the next', async () => {
  const troubled = await createTroubledStore()
  const world = await createCoreWorld(troubled)
  const told: PermissionMode[] = []
  const { driver } = world.synthetic
  const setMode = async (mode: PermissionMode) => void told.push(mode)
  const embedded: AgentDriver = { ...driver, start: async (start) => ({ ...(await driver.start(start)), setMode }) }
  const { session } = await world.session({ permissionMode: 'bypassPermissions', embedded })
  await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
  troubled.set('full')
  const first = world.sessions.setMode(session.id, 'acceptEdits').finally(() => troubled.set('none'))
  const second = world.sessions.setMode(session.id, 'default')
  await expect(first).rejects.toHaveProperty('code')
  expect(await second).toMatchObject({ ok: true })
  expect(told).toEqual(['acceptEdits', 'bypassPermissions', 'default'])
  expect(world.view(session)?.session.permissionMode).toBe('default')
})

it('keeps the title that a person gave, whatever the agent calls the conversation, also after it has ended', async () => {
  const world = await createCoreWorld()
  const { session, agent } = await world.session()
  await agent.start.emit([{ type: 'titled', title: 'What the agent says' }])
  expect(world.view(session)?.session.title).toBe('What the agent says')
  expect(await world.sessions.rename(session.id, 'What I say')).toMatchObject({
    ok: true,
    value: { title: 'What I say' },
  })
  await agent.start.emit([{ type: 'titled', title: 'Something else' }])
  expect(world.view(session)?.session.title).toBe('What I say')

  await world.sessions.end(session.id)
  expect(await world.sessions.rename(session.id, 'Looked at later')).toMatchObject({ ok: true })
  expect(await world.store.session(session.id)).toMatchObject({ title: 'Looked at later', state: 'dead' })
  expect((await world.store.verify()).fault).toBeUndefined()
})

describe('an archived session', () => {
  /** One that is idle, and archived. */
  async function archived() {
    const world = await createCoreWorld()
    const { session, agent } = await world.session()
    await expect.poll(() => world.view(session)?.session.state).toBe('user_turn')
    expect(await world.sessions.archive(session.id)).toMatchObject({ ok: true, value: { archived: true } })
    const isArchived = () => world.view(session)?.session.archived ?? false
    expect(isArchived()).toBe(true)
    return { world, session, agent, isArchived }
  }

  it('I7 is back in the lists with its next ask', async () => {
    const { world, session, agent, isArchived } = await archived()
    void agent.ask()
    await world.open(session)
    expect(isArchived()).toBe(false)
    expect(await world.sessions.archive(session.id)).toEqual({ ok: false, refusal: 'not_idle' })
  })

  it('is back with its next message', async () => {
    const { world, session, isArchived } = await archived()
    await world.sessions.send(session.id, { text: 'go on' })
    expect(isArchived()).toBe(false)
    expect(await world.sessions.archive(session.id)).toEqual({ ok: false, refusal: 'not_idle' })
  })

  it.each([
    ['a turn of its own', { type: 'turn-started' }],
    ['a dialog on its screen', { type: 'may-wait', mayWait: true }],
  ] as const)('is back with %s', async (_, event) => {
    const { world, session, agent, isArchived } = await archived()
    await agent.start.emit([event])
    expect(isArchived()).toBe(false)
    expect(await world.sessions.archive(session.id)).toEqual({ ok: false, refusal: 'not_idle' })
  })

  it('stays archived when it is renamed and when it ends, until a person puts it back or resumes it', async () => {
    const { world, session } = await archived()
    await world.sessions.rename(session.id, 'Done with')
    await world.sessions.end(session.id)
    expect(await world.store.session(session.id)).toMatchObject({ archived: true, state: 'dead' })
    expect(await world.sessions.unarchive(session.id)).toMatchObject({ ok: true, value: { archived: false } })
    expect(await world.sessions.archive(session.id)).toMatchObject({ ok: true })
    expect(await world.sessions.resume(session.id, { trusted: false })).toMatchObject({ ok: true })
    expect(world.view(session)?.session.archived).toBeUndefined()
  })
})
