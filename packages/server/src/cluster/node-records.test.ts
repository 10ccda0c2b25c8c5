import { createMemoryStore } from '@holdpoint/store/memory-store'
import { nodeId } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it } from 'vitest'
import { recordsOfNode } from './node-records.ts'

it('T34 gives each machine records of its own, and the one that the log came from those that it always had', async () => {
  const { records } = createMemoryStore()
  const home = nodeId(1)
  const [first, second] = [1, 2].map((n) => recordsOfNode(records, { node: nodeId(n), home }))
  await first?.put('trusted-folders', '/work', 1)
  await second?.put('trusted-folders', '/work', 2)
  expect(await records.get('trusted-folders', '/work')).toBe(1)
  expect(await second?.list('trusted-folders')).toEqual([{ key: '/work', value: 2 }])
  expect(await second?.collections()).toEqual(['trusted-folders'])
  await second?.remove('trusted-folders', '/work')
  expect(await first?.get('trusted-folders', '/work')).toBe(1)
})
