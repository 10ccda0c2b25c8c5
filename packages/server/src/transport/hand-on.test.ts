import type { NodeId } from '@holdpoint/schema/id'
import { expect, it } from 'vitest'
import type { Machines } from '../cluster/machines.ts'
import { handOn } from './hand-on.ts'

const call = { name: 'POST /api/asks' } as unknown as Parameters<typeof handOn>[2]
const replyWhere = (why: 'unreachable' | 'unknown') => {
  const machines = { call: async () => ({ ok: false, why }) } as unknown as Machines
  return handOn(machines, 'node' as NodeId, call, new AbortController().signal)
}

it('F57 says that nothing was changed only where the other machine was not reached at all', async () => {
  expect(await replyWhere('unreachable')).toMatchObject({ body: { error: { code: 'machine_unreachable' } } })
  expect(await replyWhere('unknown')).toMatchObject({
    status: 503,
    body: {
      error: { code: 'store_unavailable', recorded: 'unknown', message: expect.stringContaining('look before') },
    },
  })
})
