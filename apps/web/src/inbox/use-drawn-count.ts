import { startTransition, useEffect, useState } from 'react'

interface Steps {
  /** Another list begins anew. */
  readonly of: string
  /** Drawn at once: what fits a screen. */
  readonly first: number
  readonly step: number
  readonly all: number
}

/** How many entries of a long list to draw: the first in the first frame, then the others behind them, some at a time. */
export function useDrawnCount({ of, first, step, all }: Steps): number {
  const [drawn, setDrawn] = useState({ of, count: first })
  const count = drawn.of === of ? drawn.count : first
  const isWhole = count >= all
  useEffect(() => {
    if (isWhole) return
    // After the frame that shows the others, and whatever a person does meanwhile comes first.
    const timer = setTimeout(() => startTransition(() => setDrawn({ of, count: count + step })))
    return () => clearTimeout(timer)
  }, [isWhole, of, count, step])
  return Math.min(count, all)
}
