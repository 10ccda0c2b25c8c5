import { render } from '@holdpoint/core/text/visible-text'
import { useGateway } from '@holdpoint/react/use-gateway'
import { useEffect } from 'react'

/** The page's name for the tab, after the number of asks that wait. */
export function usePageTitle(title: string | undefined): void {
  const waiting = useGateway((state) => state.asks.length)
  useEffect(() => {
    document.title = pageTitle(title, waiting)
  }, [title, waiting])
}

export function pageTitle(title: string | undefined, waiting: number): string {
  const name = title === undefined ? 'Holdpoint' : `${render(title)} · Holdpoint`
  return waiting > 0 ? `(${waiting}) ${name}` : name
}
