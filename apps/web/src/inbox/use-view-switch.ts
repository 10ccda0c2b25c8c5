import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { type InboxView, preferences, setPreferences } from '../parts/preferences.ts'

/** Switches between cards and lines. The focus stays on the ask that has it, once the other view is drawn. */
export function useViewSwitch(list: RefObject<HTMLElement | null>, drawn: InboxView): () => void {
  const focused = useRef<{ readonly id: string; readonly view: InboxView }>(undefined)
  useEffect(() => {
    if (focused.current?.view !== drawn) return
    const { id } = focused.current
    focused.current = undefined
    list.current?.querySelector<HTMLElement>(`[data-ask-id="${CSS.escape(id)}"]`)?.focus()
  }, [list, drawn])
  return useCallback(() => {
    const view = preferences().inbox === 'cards' ? 'lines' : 'cards'
    const active = list.current?.contains(document.activeElement) ? document.activeElement : null
    const id = active?.closest<HTMLElement>('[data-ask-id]')?.dataset.askId
    focused.current = id === undefined ? undefined : { id, view }
    setPreferences({ inbox: view })
  }, [list])
}
