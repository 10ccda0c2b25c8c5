import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useNowAs } from '@holdpoint/react/time/now'
import type { Ask } from '@holdpoint/schema/ask'
import { type RefObject, useState } from 'react'
import { arrange, hasOld, type InboxSort, type Placed, place, unplaced } from './placing.ts'

export interface Placing {
  readonly placed: readonly Placed[]
  /** Open asks that wait for a new order. */
  readonly waiting: readonly Ask[]
  /** How many asks there were when the order was made. */
  readonly arranged: number
  /** Makes the order anew. */
  again(): void
}

/** The inbox's asks, each in its place. Old lines are removed while no pointer or focus is among them. */
export function usePlacing(list: RefObject<HTMLElement | null>, sort: InboxSort): Placing {
  const known = useGateway(({ asks, settled, link }) => ({ asks, settled, link }))
  const now = Date.now()
  const anew = () => ({ placed: arrange(known, now, sort), sort, arranged: known.asks.length })
  const [order, setOrder] = useState(anew)
  // Only while there are old lines does the page look at the clock.
  useNowAs((time) => hasOld(order.placed, known, time) && time)
  const mayTidy = !list.current?.matches(':hover, :focus-within')
  const isNew = order.sort !== sort || order.placed.length === 0
  // Derived from the last order, so that cards keep their places.
  const placed = isNew ? [] : place(order.placed, known, { now, mayTidy, sort })
  const next = isNew ? anew() : placed === order.placed ? order : { ...order, placed }
  const isEmpty = next.placed.length === 0 && order.placed.length === 0 && order.sort === sort
  if (next !== order && !isEmpty) setOrder(next)
  return {
    placed: next.placed,
    waiting: unplaced(next.placed, known.asks),
    arranged: next.arranged,
    again: () => setOrder(anew()),
  }
}
