import type { Burst } from '@holdpoint/react/cards/burst-bar'
import type { Ask } from '@holdpoint/schema/ask'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { count } from '../text/count.ts'

interface InboxStatusProps {
  /** The open asks that are drawn. */
  readonly asks: readonly Ask[]
  /** Left out where this browser may only look. */
  readonly burst: Burst | undefined
  /** How many the filter hides. */
  readonly hidden: number
  /** How many came since the newest of those that are shown. */
  readonly newer: number
  onShowAll(): void
  onShowNewer(): void
}

/** How much is shown and how much is not. It is always there, with the same height: a count that changes moves nothing. */
export function InboxStatus({ asks, burst, hidden, newer, onShowAll, onShowNewer }: InboxStatusProps) {
  return (
    <div className="flex h-11 items-center gap-x-3 overflow-x-clip text-[13px] whitespace-nowrap text-quiet pointer-fine:h-8">
      {burst && <SelectAll asks={asks} burst={burst} />}
      <p role="status" className="flex min-w-0 items-center gap-x-3">
        <span className={burst ? 'sr-only' : ''}>{count(asks.length, 'ask')} shown</span>
        {hidden > 0 && (
          <span className="truncate font-medium text-wait">
            {hidden} more<span className="max-sm:sr-only"> {hidden === 1 ? 'ask' : 'asks'}</span> hidden
            <span className="max-sm:sr-only"> by the filter</span>
          </span>
        )}
        {newer > 0 && <span className="truncate font-medium text-wait">{newer} newer</span>}
      </p>
      {hidden > 0 && <Act words="Show all" onPress={onShowAll} />}
      {newer > 0 && <Act words="Show newer" onPress={onShowNewer} />}
    </div>
  )
}

function Act({ words, onPress }: { words: string; onPress(): void }) {
  return (
    <button
      type="button"
      onClick={onPress}
      className="min-h-11 rounded-md px-1 font-medium text-accent underline underline-offset-2 hover:text-accent-strong focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-7"
    >
      {words}
    </button>
  )
}

function SelectAll({ asks, burst }: { asks: readonly Ask[]; burst: Burst }) {
  const ticks = () => ticksOf(asks, burst)
  const state = useSyncExternalStore(burst.subscribe, ticks)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = state === 'some'
  }, [state])
  const able = asks.filter((ask) => burst.isTicked(ask) !== undefined).length
  if (able === 0) return <span>{count(asks.length, 'ask')} shown</span>
  return (
    <label className="-ml-2 flex min-h-11 cursor-pointer items-center gap-2 rounded-md px-2 hover:text-ink pointer-fine:min-h-8">
      <input
        ref={box}
        type="checkbox"
        aria-keyshortcuts="Shift+X"
        checked={state === 'all'}
        onChange={() => burst.tick(asks, state !== 'all')}
        className="size-4.5 accent-accent"
      />
      {able === asks.length ? `Select all ${able}` : `Select ${able} of ${asks.length}`}
      <span className="-ml-1 max-sm:sr-only">shown</span>
    </label>
  )
}

/** How many of those that can be ticked are. */
export function ticksOf(asks: readonly Ask[], burst: Pick<Burst, 'isTicked'>): 'none' | 'some' | 'all' {
  const ticks = asks.map((ask) => burst.isTicked(ask)).filter((ticked) => ticked !== undefined)
  if (!ticks.includes(true)) return 'none'
  return ticks.includes(false) ? 'some' : 'all'
}
