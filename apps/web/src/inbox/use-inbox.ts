import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { type RefObject, useDeferredValue, useMemo, useState } from 'react'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { type InboxView, usePreferences } from '../parts/preferences.ts'
import { type AskFilter, createSieve } from './ask-filter.ts'
import { type InboxSort, type Placed, upToOpen } from './placing.ts'
import { useDrawnCount } from './use-drawn-count.ts'
import { usePlacing } from './use-placing.ts'

/** How many whole cards are drawn before the person asks for more; the oldest are the ones to answer first. */
const CARDS = 50
const DRAWN = {
  cards: { first: 4, step: 4 },
  lines: { first: 40, step: 60 },
} as const

export interface DrawnAsk extends Placed {
  readonly ask: Ask
}

export interface Inbox {
  readonly view: InboxView
  /** In their places, open or settled a moment ago. */
  readonly drawn: readonly DrawnAsk[]
  /** Those of them that are open. */
  readonly open: readonly Ask[]
  /** All open asks that pass the filter, drawn or not. */
  readonly found: readonly Ask[]
  /** How many open asks the filter hides, wait for a new order, and come behind the last card. */
  readonly hidden: number
  readonly newer: number
  readonly left: number
  /** How many asks there were when the order was made. */
  readonly arranged: number
  showMore(): void
  arrangeAgain(): void
}

/** What the inbox draws: everything that passes the filter, each in its place, as much as a page can bear. */
export function useInbox(list: RefObject<HTMLElement | null>, filter: AskFilter, sort: InboxSort): Inbox {
  // The letter that was typed is drawn before what it finds.
  const applied = useDeferredValue(filter)
  const view = useDeferredValue(usePreferences().inbox)
  const { placed, waiting, arranged, again } = usePlacing(list, sort)
  const asks = useAsks()
  const settled = useGateway((state) => state.settled)
  const client = useClient()
  const [limit, setLimit] = useState(CARDS)

  const known = useMemo(
    () => new Map<AskId, Ask>([...settled.map(({ ask }) => ask), ...asks].map((ask) => [ask.id, ask])),
    [asks, settled],
  )
  // They come and go, which must not move what somebody reads.
  const several = useSeveralMachines()
  const machines = applied.machine === '' ? undefined : several
  const sieve = useMemo(() => createSieve(applied, machines), [applied, machines])
  const found = useMemo(
    () =>
      placed.flatMap((entry): readonly DrawnAsk[] => {
        const ask = known.get(entry.askId)
        return ask && sieve(ask, client.getState().sessions.get(ask.sessionId)) ? [{ ...entry, ask }] : []
      }),
    [placed, known, sieve, client],
  )
  const isOpen = useMemo(() => new Set(asks.map(({ id }) => id)), [asks])
  const openFound = useMemo(() => found.flatMap(({ ask }) => (isOpen.has(ask.id) ? [ask] : [])), [found, isOpen])
  const count = useDrawnCount({
    ...DRAWN[view],
    of: `${view} ${Object.values(applied).join('\n')}`,
    all: view === 'cards' ? Math.min(openFound.length, limit) : openFound.length,
  })
  const drawn = useMemo(() => upToOpen(found, asks, count), [found, asks, count])
  const open = useMemo(() => drawn.flatMap(({ ask }) => (isOpen.has(ask.id) ? [ask] : [])), [drawn, isOpen])
  return {
    view,
    drawn,
    open,
    found: openFound,
    hidden: asks.length - waiting.length - openFound.length,
    newer: waiting.length,
    left: view === 'cards' ? Math.max(0, openFound.length - limit) : 0,
    arranged,
    showMore: () => setLimit(limit + CARDS),
    arrangeAgain: again,
  }
}
