import type { Cluster } from '@holdpoint/core/cluster'
import { ChannelId, DeviceId, type NodeId, SessionId } from '@holdpoint/schema/id'
import { DeliveryState } from '@holdpoint/schema/notification'
import { z } from 'zod'
import { LivePiece } from './live-pieces.ts'

/** Entries of a list in one message, so that it fits. */
export const AT_ONCE = 150

const Receiver = z.union([DeviceId, ChannelId])

/** What gateways tell each other and nobody keeps. Each may be lost: what it says is said again, or shows itself in the log. */
const NodeMessage = z.discriminatedUnion('type', [
  /** The sender has just started, and wants to know who has a page in front. */
  z.strictObject({ type: z.literal('hello') }),
  /** Devices with pages that are connected to the sender. */
  z.strictObject({
    type: z.literal('pages'),
    pages: z.array(z.tuple([DeviceId, z.enum(['front', 'open', 'gone'])])).max(AT_ONCE),
  }),
  /** Somebody at the sender looks at these sessions. `whole`: what their agents are in the middle of saying is not known there. */
  z.strictObject({ type: z.literal('watch'), sessions: z.array(SessionId).max(AT_ONCE), whole: z.boolean() }),
  z.strictObject({ type: z.literal('live'), pieces: z.array(LivePiece) }),
  /** A notice about an ask makes a sound there. */
  z.strictObject({ type: z.literal('rang'), to: Receiver }),
  /** How far a notice of the sender has come. */
  z.strictObject({ type: z.literal('delivery'), to: Receiver, state: DeliveryState.strict() }),
])
type NodeMessage = z.infer<typeof NodeMessage>
type OfType<Type extends NodeMessage['type']> = Extract<NodeMessage, { type: Type }>

export interface NodeMessages {
  /** To all other nodes. */
  send(message: NodeMessage): void
  on<Type extends NodeMessage['type']>(type: Type, listener: (message: OfType<Type>, from: NodeId) => void): void
}

/** What cannot be read is dropped: another version may have sent it. */
export function createNodeMessages(cluster: Pick<Cluster, 'tell' | 'onTold'>): NodeMessages {
  const listeners: ((message: NodeMessage, from: NodeId) => void)[] = []
  cluster.onTold((text, from) => {
    const read = NodeMessage.safeParse(json(text))
    if (read.success) for (const listener of listeners) listener(read.data, from)
  })
  return {
    send: (message) => cluster.tell(JSON.stringify(message)),
    on(type, listener) {
      listeners.push((message, from) => {
        if (message.type === type) listener(message as OfType<typeof type>, from)
      })
    },
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
