import type { DeviceId } from '@holdpoint/schema/id'

/** Bytes. What is no larger always goes: answers, refusals, whether the gateway is well. */
export const SMALL_REPLY = 64 * 1024

export interface UnreadLimits {
  readonly perCredential: number
  /** No credential counts here for more than its own limit. */
  readonly inAll: number
  /** What each credential may leave, whatever the others leave. */
  readonly share: number
}

const MEGABYTE = 1024 * 1024
const LIMITS: UnreadLimits = { perCredential: 16 * MEGABYTE, inAll: 64 * MEGABYTE, share: 4 * MEGABYTE }

/** A budget of bytes that clients were sent and have not taken: they stay in memory until they are taken (F58). */
export function createUnread(limits: UnreadLimits = LIMITS) {
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

  /** Whether more than what is small may be sent to this credential. */
  function hasRoom(holder: DeviceId | undefined): boolean {
    const held = byHolder.get(holder) ?? 0
    return held < limits.perCredential && (held < limits.share || counted < limits.inAll)
  }

  return {
    hasRoom,
    /** What one connection has not taken. Whoever makes one says in the end that nothing is left. */
    connection(holder: DeviceId | undefined) {
      let own = 0
      return {
        /** How many bytes it is now. False where the budget was used up before there was more to take. */
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
export type Unread = ReturnType<typeof createUnread>
export type ConnectionUnread = ReturnType<Unread['connection']>
