import type { NodeId } from '@holdpoint/schema/id'
import type { Machines } from '../cluster/machines.ts'
import type { NodeCall } from '../cluster/node-call.ts'
import { type Reply, refusal } from './errors.ts'

const LOST = 'The machine was lost before it replied. It may have been done: look before you try again.'

/** Has another machine serve a call that this one has let in and checked. */
export async function handOn(
  machines: Machines,
  to: NodeId,
  call: Omit<Extract<NodeCall, { type: 'route' }>, 'type'>,
  signal: AbortSignal,
): Promise<Reply> {
  const result = await machines.call(to, { type: 'route', ...call }, { signal })
  if (result.ok) return result.reply as Reply
  return refusal('machine_unreachable', result.why === 'unknown' ? { message: LOST } : {})
}
