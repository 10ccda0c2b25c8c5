import { render } from '@holdpoint/core/text/visible-text'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useEffect, useRef } from 'react'
import { useShownLater } from './use-shown-later.ts'

/** The page's name for the tab, after the number of asks that wait. */
export function usePageTitle(title: string | undefined): void {
  const waiting = useGateway((state) => state.asks.length)
  const count = useRef(waiting)
  useEffect(() => {
    count.current = waiting
  }, [waiting])
  // The title of another page is set at once; the number may follow (debounced).
  useEffect(() => showTitle(pageTitle(title, count.current)), [title])
  useShownLater(pageTitle(title, waiting), showTitle)
}

function showTitle(title: string): void {
  document.title = title
}

export function pageTitle(title: string | undefined, waiting: number): string {
  const name = title === undefined ? 'Holdpoint' : `${render(title, { prose: true })} · Holdpoint`
  return waiting > 0 ? `(${waiting}) ${name}` : name
}
