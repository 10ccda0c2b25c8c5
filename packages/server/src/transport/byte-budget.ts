import type { DeviceId } from '@holdpoint/schema/id'

export const MEGABYTE = 1024 * 1024

export interface ByteLimits {
  readonly perCredential: number
  /** No credential counts here for more than its own limit. */
  readonly inAll: number
  /** What each credential may hold, whatever the others hold. */
  readonly share: number
}

/** Counts bytes that are in memory because of clients, by credential and in all. */
export function createByteBudget(limits: ByteLimits) {
  const byHolder = new Map<DeviceId | undefined, number>()
  let all = 0
  let counted = 0
  const countOf = (held: number) => Math.min(held, limits.perCredential)

  function add(holder: DeviceId | undefined, bytes: number) {
    const before = byHolder.get(holder) ?? 0
    const held = before + bytes
    if (held === 0) byHolder.delete(holder)
    else byHolder.set(holder, held)
    all += bytes
    counted += countOf(held) - countOf(before)
  }

  /** Whether this credential may hold more. */
  function hasRoom(holder: DeviceId | undefined): boolean {
    const held = byHolder.get(holder) ?? 0
    return held < limits.perCredential && (held < limits.share || counted < limits.inAll)
  }

  return {
    hasRoom,
    /** What one connection or request holds. Whoever makes one says in the end that nothing is left. */
    connection(holder: DeviceId | undefined) {
      let own = 0
      return {
        /** How many bytes it is now. False where the budget was used up before there was more to hold. */
        note(bytes: number): boolean {
          const fits = bytes <= own || hasRoom(holder)
          add(holder, bytes - own)
          own = bytes
          return fits
        },
      }
    },
    size: () => all,
  }
}
export type ByteBudget = ReturnType<typeof createByteBudget>
