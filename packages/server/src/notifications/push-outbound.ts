import { createOutbound, type Outbound } from './outbound.ts'

/** The way to the push service of a browser, by whether its credential may manage notifications. */
export type PushOutbound = (isManager: boolean) => Outbound

/**
 * A browser says itself where its push service is. One that may manage notifications reaches the places that `--notify-allow`
 * lists, where it could send by a channel, too; all others reach only the internet (T51).
 */
export function createPushOutbound(outbound: Outbound): PushOutbound {
  const publicOnly = createOutbound({ allowed: [] })
  return (isManager) => (isManager ? outbound : publicOnly)
}
