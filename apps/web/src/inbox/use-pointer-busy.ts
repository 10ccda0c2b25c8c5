import { type RefObject, useEffect, useState } from 'react'

const CALM_MS = 2000

/** Whether a pointer is in use inside: it moved or pressed a moment ago and has not left. */
export function usePointerBusy(element: RefObject<HTMLElement | null>): boolean {
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    const target = element.current
    if (!target) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const onCalm = () => {
      clearTimeout(timer)
      setIsBusy(false)
    }
    const onWork = () => {
      clearTimeout(timer)
      timer = setTimeout(onCalm, CALM_MS)
      setIsBusy(true)
    }
    const onLeave = (event: PointerEvent) => {
      // A finger leaves with every tap; the next one comes down in the same place.
      if (event.pointerType === 'mouse') onCalm()
    }
    target.addEventListener('pointermove', onWork)
    target.addEventListener('pointerdown', onWork)
    target.addEventListener('pointerleave', onLeave)
    return () => {
      clearTimeout(timer)
      target.removeEventListener('pointermove', onWork)
      target.removeEventListener('pointerdown', onWork)
      target.removeEventListener('pointerleave', onLeave)
    }
  }, [element])
  return isBusy
}
