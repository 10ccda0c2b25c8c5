import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Room } from './terminal-size.ts'

const FINE_FONT = 13
/** A little smaller in the hand than on a desk, for a few columns more. */
const COARSE_FONT = 12

/** Around the picture, on each side. */
export const PADDING = 8

/** How much room the pane has, in pixels and in characters; `probe` holds some in the font that is drawn with. */
export function useRoom(
  pane: RefObject<HTMLElement | null>,
  probe: RefObject<HTMLElement | null>,
  probeCells: number,
): Room | undefined {
  const [room, setRoom] = useState<Room>()
  useLayoutEffect(() => {
    const [outer, inner] = [pane.current, probe.current]
    if (!outer || !inner) return
    const measure = () => {
      const width = outer.clientWidth - 2 * PADDING
      const height = outer.clientHeight - 2 * PADDING
      const probeFont = Number.parseFloat(getComputedStyle(inner).fontSize)
      const cellWidth = inner.getBoundingClientRect().width / probeCells / probeFont
      const font = matchMedia('(pointer: coarse)').matches ? COARSE_FONT : FINE_FONT
      // Hidden, or not laid out yet.
      if (width > 0 && height > 0 && cellWidth > 0) setRoom({ width, height, cellWidth, font })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(outer)
    return () => observer.disconnect()
  }, [pane, probe, probeCells])
  return room
}
