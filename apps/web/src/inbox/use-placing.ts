import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useNowAs } from '@holdpoint/react/time/now'
import { type RefObject, useState } from 'react'
import { arrange, hasOld, type Placed, place } from './placing.ts'

/** The inbox's asks, each in its place. Old lines are removed while no pointer or focus is among them. */
export function usePlacing(list: RefObject<HTMLElement | null>): readonly Placed[] {
  const known = useGateway(({ asks, settled, link }) => ({ asks, settled, link }))
  const now = Date.now()
  const [placed, setPlaced] = useState(() => arrange(known, now))
  // Only while there are old lines does the page look at the clock.
  useNowAs((time) => hasOld(placed, known, time) && time)
  const mayTidy = !list.current?.matches(':hover, :focus-within')
  // Derived from the last order, so that cards keep their places.
  const next = placed.length === 0 ? arrange(known, now) : place(placed, known, { now, mayTidy })
  if (next !== placed && !(next.length === 0 && placed.length === 0)) setPlaced(next)
  return next
}
