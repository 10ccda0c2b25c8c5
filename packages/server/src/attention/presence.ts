import type { DeviceId } from '@holdpoint/schema/id'

/** Which devices have a page of ours open, and which have it in front: those need no notification. */
export interface Presence {
  /** One page. What it says last counts, until it leaves. */
  join(deviceId: DeviceId): { set(inFront: boolean): void; leave(): void }
  isInFront(deviceId: DeviceId): boolean
  /** A page that is open takes notifications of settled asks away by itself. */
  isOpen(deviceId: DeviceId): boolean
  /** Called when the last page that a device had in front is there no more. */
  onAway(listener: (deviceId: DeviceId) => void): void
  /** What can be known of pages that were there before this start is known. */
  readonly ready: Promise<void>
}

export function createPresence(): Presence {
  const pages = new Map<DeviceId, Set<{ inFront: boolean }>>()
  const listeners: ((deviceId: DeviceId) => void)[] = []
  const isInFront = (deviceId: DeviceId) => [...(pages.get(deviceId) ?? [])].some(({ inFront }) => inFront)

  return {
    join(deviceId) {
      const page = { inFront: false }
      const others = pages.get(deviceId) ?? new Set()
      pages.set(deviceId, others.add(page))
      return {
        set(inFront) {
          const wasInFront = page.inFront
          page.inFront = inFront
          if (wasInFront && !isInFront(deviceId)) for (const listener of listeners) listener(deviceId)
        },
        leave() {
          this.set(false)
          const left = pages.get(deviceId)
          left?.delete(page)
          if (left?.size === 0) pages.delete(deviceId)
        },
      }
    },
    isInFront,
    isOpen: (deviceId) => pages.has(deviceId),
    onAway: (listener) => void listeners.push(listener),
    ready: Promise.resolve(),
  }
}
