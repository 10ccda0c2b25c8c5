import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import type { SessionView } from './session-view.ts'
import { sizeOf } from './size-of.ts'

/** Every gateway holds all open asks in memory, and is made for so many: 46 MB. */
export const MANY_OPEN_ASKS = 10_000
/** Open asks in a session, of the agent itself; and as many of programs. */
export const MAX_OPEN_ASKS = 100
/**
 * Characters of all open asks of a session, and of all sessions: they stay in memory until they are answered (F58), where
 * each takes two bytes at most. What programs raise over the API has room of its own, less of it in all: however much
 * that is, the agents can still ask.
 */
export const MAX_OPEN_SIZE = 8_000_000
export const MAX_OPEN_SIZE_IN_ALL = 64_000_000
const MAX_RAISED_SIZE_IN_ALL = 16_000_000

type Asker = 'agent' | 'program'
const IN_ALL: Record<Asker, number> = { agent: MAX_OPEN_SIZE_IN_ALL, program: MAX_RAISED_SIZE_IN_ALL }

/** What is open in this session and shares its limits. */
export function openOfAsker(view: SessionView, asker: Asker): readonly Ask[] {
  return [...view.asks.values()].filter((ask) => askerOf(ask) === asker)
}

export function askerOf({ raisedBy }: { readonly raisedBy?: unknown }): Asker {
  return raisedBy === undefined ? 'agent' : 'program'
}

/** How much may be open. */
export function createOpenRoom() {
  const open = new Map<AskId, { readonly asker: Asker; readonly size: number }>()
  const taken: Record<Asker, number> = { agent: 0, program: 0 }
  /** Asks that are about to be open, by what raises them: several may be decided in one commit. */
  const about = new Map<object, { readonly asker: Asker; readonly size: number }>()

  return {
    add(ask: Ask) {
      const entry = { asker: askerOf(ask), size: sizeOf(ask) }
      open.set(ask.id, entry)
      taken[entry.asker] += entry.size
    },
    remove(id: AskId) {
      const entry = open.get(id)
      if (entry) taken[entry.asker] -= entry.size
      open.delete(id)
    },
    /**
     * Whether there is room for it beside what is open in its session, and in all, once the one that it takes the place
     * of is gone. It is kept until `settle`.
     */
    reserve(view: SessionView, ask: Ask, { call, replaced }: { call: object; replaced: Ask | undefined }): boolean {
      const asker = askerOf(ask)
      // What gets smaller gives nothing back before it is committed.
      const more = Math.max(0, sizeOf(ask) - (replaced ? sizeOf(replaced) : 0))
      const inSession = openOfAsker(view, asker).reduce((sum, other) => sum + sizeOf(other), more)
      about.delete(call)
      const others = [...about.values()].filter((other) => other.asker === asker)
      const inAll = others.reduce((sum, other) => sum + other.size, taken[asker] + more)
      if (inSession > MAX_OPEN_SIZE || inAll > IN_ALL[asker]) return false
      about.set(call, { asker, size: more })
      return true
    },
    /** The call was decided: what it raised is open by now, or never will be. */
    settle: (call: object) => void about.delete(call),
  }
}
