import type { DeviceId } from '@holdpoint/schema/id'
import { type ByteLimits, createByteBudget, MEGABYTE } from './byte-budget.ts'

/** Bytes. Bodies up to this size have room of their own: nearly all answers are among them. */
export const SMALL_BODY = 64 * 1024

/** The four files of one message may come at once. */
const LARGE: ByteLimits = { perCredential: 32 * MEGABYTE, inAll: 64 * MEGABYTE, share: 4 * MEGABYTE }
/** Each credential has this for itself: what others send refuses nobody an answer. */
const SMALL: ByteLimits = { perCredential: 4 * MEGABYTE, inAll: Number.POSITIVE_INFINITY, share: 0 }

/** A budget of bytes of requests' bodies: they are in memory from their first byte until the request is handled (I10). */
export function createReceived(
  limits: { readonly small: ByteLimits; readonly large: ByteLimits } = { small: SMALL, large: LARGE },
) {
  const small = createByteBudget(limits.small)
  const large = createByteBudget(limits.large)

  return {
    /** The body of one request. Whoever makes one says in the end that nothing is left. */
    body(holder: DeviceId | undefined) {
      const asSmall = small.connection(holder)
      const asLarge = large.connection(holder)
      return {
        /** How many bytes it has now, or will have. False where there is no room for them. */
        note(bytes: number): boolean {
          // Without a credential a body is tiny, and whoever sends many of them must not keep others from logging in.
          if (holder === undefined) return true
          const isSmall = bytes <= SMALL_BODY
          const fits = [asSmall.note(isSmall ? bytes : 0), asLarge.note(isSmall ? 0 : bytes)]
          return fits.every(Boolean)
        },
      }
    },
    size: () => small.size() + large.size(),
  }
}
export type Received = ReturnType<typeof createReceived>
