import { type HTMLAttributes, useEffect, useLayoutEffect, useRef } from 'react'

const COLLAPSE_MS = 150

/**
 * Shrinks what it holds in a moment instead of at once when `collapsed` becomes true. What is inside is laid out and
 * painted apart from the rest of the page, so that a hundred of them cost no more than the one that changes.
 */
export function Collapse({ collapsed, ...rest }: { collapsed: boolean } & HTMLAttributes<HTMLDivElement>) {
  const box = useRef<HTMLDivElement>(null)
  const height = useRef<number>(undefined)
  const was = useRef(collapsed)
  useLayoutEffect(() => {
    const element = box.current
    const from = height.current
    const shrinks = collapsed && !was.current
    was.current = collapsed
    if (!element || from === undefined || !shrinks || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    const { top } = element.getBoundingClientRect()
    // Each frame of it takes the whole page some time: out of sight that is for nothing.
    if (top + from < 0 || top > window.innerHeight) return
    const frames = [
      { height: `${from}px`, overflow: 'clip' },
      { height: `${element.offsetHeight}px`, overflow: 'clip' },
    ]
    const animation = element.animate(frames, { duration: COLLAPSE_MS, easing: 'ease-out' })
    return () => animation.cancel()
  }, [collapsed])
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      height.current = element.offsetHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return <div {...rest} ref={box} className="hp-surface contain-layout" />
}
