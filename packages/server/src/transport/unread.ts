import { type ByteBudget, type ByteLimits, createByteBudget, MEGABYTE } from './byte-budget.ts'

/** Bytes. What is no larger always goes: answers, refusals, whether the gateway is well. */
export const SMALL_REPLY = 64 * 1024

const LIMITS: ByteLimits = { perCredential: 16 * MEGABYTE, inAll: 64 * MEGABYTE, share: 4 * MEGABYTE }

/** A budget of bytes that clients were sent and have not taken: they stay in memory until they are taken (F58). */
export function createUnread(limits = LIMITS): ByteBudget {
  return createByteBudget(limits)
}
export type Unread = ByteBudget
export type ConnectionUnread = ReturnType<Unread['connection']>
