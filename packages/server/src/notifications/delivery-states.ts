import type { Ledger } from '@holdpoint/core/ledger'
import type { Stored } from '@holdpoint/schema/event'
import type { ChannelId, DeviceId } from '@holdpoint/schema/id'
import type { DeliveryState } from '@holdpoint/schema/notification'
import type { NodeMessages } from '../cluster/node-messages.ts'

/** Characters of a reason that others are told. */
const LONGEST_REASON = 300

export interface DeliveryStates {
  of(id: DeviceId | ChannelId): DeliveryState
  note(id: DeviceId | ChannelId, step: DeliveryState): void
}

/**
 * The last of each step on the way to a receiver, since the start. What other gateways have sent is known from the log where it
 * was about asks, and else from what they say.
 */
export function createDeliveryStates(deps: {
  readonly ledger: Pick<Ledger, 'subscribe'>
  readonly messages: NodeMessages | undefined
}): DeliveryStates {
  const states = new Map<string, DeliveryState>()

  function add(id: string, { sentAt, shownAt, failed }: DeliveryState) {
    const known = states.get(id) ?? {}
    states.set(id, {
      ...known,
      ...(sentAt !== undefined && { sentAt: Math.max(sentAt, known.sentAt ?? 0) }),
      ...(shownAt !== undefined && { shownAt: Math.max(shownAt, known.shownAt ?? 0) }),
      ...(failed && failed.at >= (known.failed?.at ?? 0) && { failed }),
    })
  }

  deps.messages?.on('delivery', ({ to, state }) => add(to, state))
  deps.ledger.subscribe((stored: readonly Stored[]) => {
    for (const { event } of stored) if (event.type === 'asks-notified') add(event.to.id, stepOf(event))
  })

  return {
    of: (id) => states.get(id) ?? {},
    note(id, step) {
      add(id, step)
      const { failed } = step
      const told = failed && { ...failed, reason: failed.reason.slice(0, LONGEST_REASON) }
      deps.messages?.send({ type: 'delivery', to: id, state: { ...step, ...(told && { failed: told }) } })
    },
  }
}

function stepOf({ step, at, reason = '' }: Extract<Stored['event'], { type: 'asks-notified' }>): DeliveryState {
  if (step === 'failed') return { failed: { at, reason } }
  return step === 'sent' ? { sentAt: at } : { shownAt: at }
}
