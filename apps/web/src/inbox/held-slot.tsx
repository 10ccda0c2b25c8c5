import { type ReactNode, useLayoutEffect, useRef } from 'react'

export interface HeldSlotProps {
  readonly isOpen: boolean
  /** Somebody's pointer is at work here: nothing below may move. */
  readonly holds: boolean
  readonly children: ReactNode
}

/** The room of a card. When the card becomes a line, the room stays until it can go without moving a button away. */
export function HeldSlot({ isOpen, holds, children }: HeldSlotProps) {
  const slot = useRef<HTMLDivElement>(null)
  const height = useRef(0)
  useLayoutEffect(() => {
    if (isOpen && slot.current) height.current = slot.current.offsetHeight
  })
  const held = !isOpen && holds ? height.current : 0
  return (
    <div
      ref={slot}
      style={{ minHeight: held }}
      className="transition-[min-height] duration-200 motion-reduce:transition-none"
    >
      {children}
    </div>
  )
}
