import { type ReactNode, useMemo, useState } from 'react'
import { useUnfinished } from '../arming/seen-region.tsx'
import { portion } from './portion.ts'

/** As many marks as a page draws without a stop that a person notices. */
export const MARKS_AT_ONCE = 2000

export interface GradualOptions<T> {
  /** The same function each time. */
  readonly costOf: (item: T) => number
  readonly atOnce?: number
  /** What the cost counts, in the plural. */
  readonly unit?: string
}

export interface Gradual<T> {
  readonly shown: readonly T[]
  /** Says that there is more, and draws some of it; nothing once all is drawn. */
  readonly more: ReactNode
}

/**
 * Draws what is long in steps that the person asks for: a hundred thousand escapes at once would stop the page, and with
 * it every other ask. Until the last step the end of the region around it does not count as seen (T26).
 */
export function useGradual<T>(all: readonly T[], options: GradualOptions<T>): Gradual<T> {
  const { costOf, atOnce = MARKS_AT_ONCE, unit = 'marks' } = options
  const [limit, setLimit] = useState(atOnce)
  const { shown, left } = useMemo(() => portion(all, costOf, limit), [all, costOf, limit])
  useUnfinished(left > 0)
  const more = left > 0 && (
    <button
      type="button"
      onClick={() => setLimit(limit + atOnce)}
      className="m-1 min-h-11 rounded-lg border border-wait-line bg-wait-bg px-3 font-sans text-sm text-wait select-none hover:border-wait focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8"
    >
      Show more: {left.toLocaleString('en')} {unit} left
    </button>
  )
  return { shown, more }
}
