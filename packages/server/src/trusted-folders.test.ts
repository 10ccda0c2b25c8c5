import type { Session } from '@holdpoint/schema/session'
import { createMemoryStore } from '@holdpoint/store/memory-store'
import { startTestGateway } from '@holdpoint/testing/test-gateway'
import { expect, it } from 'vitest'
import { createTrustedFolders } from './trusted-folders.ts'

it('T34 trusts a folder once a person said so, that folder only, until it is taken back', async () => {
  const folders = createTrustedFolders(createMemoryStore().records)
  expect(await folders.isTrusted('/a')).toBe(false)
  await folders.trust('/a', { by: 'dev_1', at: 1 })
  expect(await folders.isTrusted('/a')).toBe(true)
  for (const other of ['/a/b', '/', '/A', '/a/']) expect(await folders.isTrusted(other), other).toBe(false)
  await folders.distrust('/a')
  expect(await folders.isTrusted('/a')).toBe(false)
})

it('T34 starts an agent without trust unless the call, or an earlier one, gave it', async () => {
  await using test = await startTestGateway()
  const first = await test.session()
  expect([first.session.trusted, first.agent.start.trusted]).toEqual([false, false])
  const trusted = await test.api.ok<Session>('POST', `/api/sessions/${first.session.id}/trust`)
  expect(trusted.trusted).toBe(true)
  expect((await test.session()).agent.start.trusted).toBe(true)
  await test.api.ok('DELETE', `/api/sessions/${first.session.id}/trust`)
  expect((await test.session()).agent.start.trusted).toBe(false)
  expect((await test.session({ trust: true })).agent.start.trusted).toBe(true)
})
