import type { PermissionMode } from '@holdpoint/schema/permission-mode'
import { createCoreWorld } from '@holdpoint/testing/core-world'
import { createTroubledStore } from '@holdpoint/testing/troubled-store'
import { expect, it } from 'vitest'
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
