import type { Device } from '@holdpoint/schema/device'
import type { DeviceId } from '@holdpoint/schema/id'

export interface ConnectionLimits {
  readonly connectionsPerBrowser: number
  readonly connectionsPerToken: number
}

type Held = Map<DeviceId, Set<() => void>>

function add(to: Held, id: DeviceId, close: () => void): () => void {
  const held = to.get(id) ?? new Set()
  to.set(id, held.add(close))
  return () => {
    held.delete(close)
    if (held.size === 0) to.delete(id)
  }
}

/** What is open by credential: streams are bounded, and all is closed when the credential goes (T12). */
export function createConnections(limits: ConnectionLimits) {
  const streams: Held = new Map()
  const replies: Held = new Map()

  return {
    /** Counts a stream in; undefined when the credential has too many. The returned function counts it out. */
    hold(device: Device, close: () => void): (() => void) | undefined {
      // Browsers' credentials end by themselves; only tokens have no end.
      const limit = device.expiresAt === undefined ? limits.connectionsPerToken : limits.connectionsPerBrowser
      return (streams.get(device.id)?.size ?? 0) < limit ? add(streams, device.id, close) : undefined
    },
    /** A reply that is on its way. The returned function says that it was taken. */
    holdReply: (id: DeviceId, close: () => void) => add(replies, id, close),
    closeAll(id: DeviceId) {
      for (const close of [...(streams.get(id) ?? []), ...(replies.get(id) ?? [])]) close()
    },
  }
}
export type Connections = ReturnType<typeof createConnections>
