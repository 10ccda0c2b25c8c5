import type { NodeId } from '@holdpoint/schema/id'
import type { Machines } from '../cluster/machines.ts'
import type { NodeCall } from '../cluster/node-call.ts'
import { type Reply, refusal } from './errors.ts'

const LOST = 'The machine was lost before it replied. It may have been done: look before you try again.'

/** Has another machine serve a call that this one has let in and checked. Where its reply is lost, nobody says that nothing was changed (F57). */
export async function handOn(
  machines: Machines,
  to: NodeId,
  call: Omit<Extract<NodeCall, { type: 'route' }>, 'type'>,
  signal: AbortSignal,
): Promise<Reply> {
  const result = await machines.call(to, { type: 'route', ...call }, { signal })
  if (result.ok) return result.reply as Reply
  return result.why === 'unknown'
    ? refusal('store_unavailable', { message: LOST, recorded: 'unknown' })
    : refusal('machine_unreachable')
}
