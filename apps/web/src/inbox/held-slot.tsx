import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useKeepFocus } from '../parts/use-keep-focus.ts'

export interface HeldSlotProps {
  /** Somebody's pointer is at work here: nothing below may move up. */
  readonly holds: boolean
  readonly children: ReactNode
}

/** The space of a card. A card that becomes a line keeps its space until removing it moves no buttons (T30). */
export function HeldSlot({ holds, children }: HeldSlotProps) {
  const slot = useRef<HTMLDivElement>(null)
  useKeepFocus(slot)
  const height = useRef(0)
  // Without a rendering: while a card shrinks, its height is another one with each frame.
  useLayoutEffect(() => {
    const element = slot.current
    if (!element) return
    const keepRoom = () => {
      element.style.minHeight = holds ? `${height.current}px` : ''
    }
    keepRoom()
    const observer = new ResizeObserver(() => {
      height.current = element.offsetHeight
      keepRoom()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [holds])
  return (
    <div ref={slot} tabIndex={-1} className="outline-none">
      {children}
    </div>
  )
}
