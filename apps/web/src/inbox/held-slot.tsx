import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useKeepFocus } from '../parts/use-keep-focus.ts'

export interface HeldSlotProps {
  /** Somebody's pointer is at work here: nothing below may move up. */
  readonly holds: boolean
  readonly children: ReactNode
}

/** The room of a card. A card that becomes a line keeps its room until it can go without moving buttons about (T30). */
export function HeldSlot({ holds, children }: HeldSlotProps) {
  const slot = useRef<HTMLDivElement>(null)
  useKeepFocus(slot)
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    const element = slot.current
    if (!element) return
    const observer = new ResizeObserver(() => setHeight(element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={slot} tabIndex={-1} className="outline-none" style={{ minHeight: holds ? height : 0 }}>
      {children}
    </div>
  )
}
