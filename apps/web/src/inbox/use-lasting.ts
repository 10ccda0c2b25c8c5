import { startTransition, useEffect, useState } from 'react'

/** Whether something has been so for a while. What is so from the start counts at once. */
export function useLasting(isSo: boolean, ms: number): boolean {
  const [isLasting, setIsLasting] = useState(isSo)
  if (!isSo && isLasting) setIsLasting(false)
  useEffect(() => {
    if (!isSo || isLasting) return
    // Whatever comes meanwhile is drawn first.
    const timer = setTimeout(() => startTransition(() => setIsLasting(true)), ms)
    return () => clearTimeout(timer)
  }, [isSo, isLasting, ms])
  return isSo && isLasting
}
