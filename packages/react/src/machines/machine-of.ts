import type { Machine } from '@holdpoint/schema/endpoints/machines'
import type { Session } from '@holdpoint/schema/session'

/** A machine as this page knows it. */
export interface KnownMachine extends Omit<Machine, 'beatAgeMs'> {
  /** When its gateway was last heard of, by the clock of this device. Left out once it was stopped. */
  readonly heardAt?: number
}

/** The machine that a session's agent is on, where there are several. */
export function machineOf(
  machines: readonly KnownMachine[],
  session: Pick<Session, 'node'> | undefined,
): KnownMachine | undefined {
  if (!session || machines.length < 2) return undefined
  return machines.find(({ id, isHome }) => (session.node === undefined ? isHome : id === session.node))
}

/** Whether nothing can be done on it now. The gateway that says so is there in any case. */
export function isAway({ isReachable, isThis }: KnownMachine): boolean {
  return !isReachable && !isThis
}

/** Whether the gateway of this page has not been heard of itself: then it cannot reach the database, nor know who can. */
export function isCutOff(machines: readonly Pick<KnownMachine, 'isReachable' | 'isThis'>[]): boolean {
  return machines.some(({ isReachable, isThis }) => isThis && !isReachable)
}

/** Where its own gateway shows a session; undefined where it does not say, or says what no browser should follow. */
export function addressOn({ address }: KnownMachine, path: string): string | undefined {
  if (address === undefined || !/^https?:\/\//i.test(address) || !URL.canParse(path, address)) return undefined
  return new URL(path, address).href
}
