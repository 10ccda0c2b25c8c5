import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundFiles } from '@holdpoint/schema/endpoints/sessions'
import type { Offers } from '@holdpoint/schema/offers'
import { expect, it } from 'vitest'
import { memoryWorld, twoGateways } from './two-gateways.ts'

const SOON = { interval: 5 }

it('what a message can be made of comes from the machine of the session', async () => {
  const offered: Offers = { models: [], commands: [{ name: 'compact' }] }
  const forA = { offers: async () => offered }
  await using two = await twoGateways(memoryWorld, { forA })
  const { session } = await two.a.session()
  const path = `/api/sessions/${session.id}/offers`
  await expect.poll(async () => (await two.b.api.call('GET', path)).body, SOON).toEqual(offered)
  await writeFile(join(two.a.dataDir, 'only-on-a.txt'), '')
  const found = await two.b.api.ok<FoundFiles>('GET', `/api/sessions/${session.id}/files?typed=only-on`)
  expect(found.files).toEqual(['only-on-a.txt'])
})
