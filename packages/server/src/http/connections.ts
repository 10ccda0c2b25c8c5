import type { Device } from '@holdpoint/schema/device'
import type { DeviceId } from '@holdpoint/schema/id'

export interface ConnectionLimits {
  readonly connectionsPerBrowser: number
  readonly connectionsPerToken: number
}

/** Open streams by credential: bounded, and closed when the credential goes (T12). */
export function createConnections(limits: ConnectionLimits) {
  const open = new Map<DeviceId, Set<() => void>>()

  return {
    /** Counts a stream in; undefined when the credential has too many. The returned function counts it out. */
    hold(device: Device, close: () => void): (() => void) | undefined {
      const held = open.get(device.id) ?? new Set()
      // Browsers' credentials end by themselves; only tokens have no end.
      const limit = device.expiresAt === undefined ? limits.connectionsPerToken : limits.connectionsPerBrowser
      if (held.size >= limit) return undefined
      open.set(device.id, held.add(close))
      return () => {
        held.delete(close)
        if (held.size === 0) open.delete(device.id)
      }
    },
    closeAll(id: DeviceId) {
      for (const close of [...(open.get(id) ?? [])]) close()
    },
  }
}
export type Connections = ReturnType<typeof createConnections>
