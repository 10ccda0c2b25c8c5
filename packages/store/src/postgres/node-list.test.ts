import type { ClusterNode } from '@holdpoint/core/cluster'
import { nodeId } from '@holdpoint/testing/store-contract/store-samples'
import { expect, it, onTestFinished } from 'vitest'
import type { Query } from './database.ts'
import { NodeList } from './node-list.ts'

async function listed(row: { readonly name: string; readonly facts: string }): Promise<ClusterNode | undefined> {
  const list = new NodeList()
  onTestFinished(() => list.close())
  const rows = [{ id: nodeId(1), run: 'run', draining: false, age: 5, ...row }]
  await list.read((async () => rows) as unknown as Query)
  return list.all()[0]
}

it.each([
  ['no object', 'null'],
  ['no JSON', '{ version'],
  ['of other types', '{"version":9,"agents":"claude","address":{}}'],
])('lists a machine also where what its gateway says of itself is %s', async (_, facts) => {
  expect(await listed({ name: '5', facts })).toMatchObject({ id: nodeId(1), name: nodeId(1), version: '', agents: [] })
})

it('takes from a gateway what is known here, and no other machine for it', async () => {
  const facts = { version: '9', agents: ['claude', { name: 'new' }], id: nodeId(2), name: 'x', run: 'y', isHome: true }
  const node = await listed({ name: '"one"', facts: JSON.stringify(facts) })
  expect(node).toMatchObject({ id: nodeId(1), name: 'one', version: '9', agents: ['claude'] })
  expect(node).not.toHaveProperty('isHome')
})
