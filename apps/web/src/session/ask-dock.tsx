import { IconButton } from '@holdpoint/react/icon-button'
import { LiveAskCard } from '@holdpoint/react/live-ask-card'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { ChevronLeft, ChevronRight, PenLine } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useMayAct } from '../me.tsx'

/** The dock grows upwards: when the line goes, the card below it stays where it is. */
const LINE_MS = 6000

export interface AskDockProps {
  /** Open ones of one session, oldest first. */
  readonly asks: readonly Ask[]
  readonly hidden: boolean
  onWrite?(): void
}

/** The open asks of a session, one at a time, in the place of the message box. */
export function AskDock({ asks, hidden, onWrite }: AskDockProps) {
  const mayAct = useMayAct()
  const [chosen, setChosen] = useState<AskId>()
  const [left, setLeft] = useState<AskId>()
  const at = Math.max(
    0,
    asks.findIndex((ask) => ask.id === chosen),
  )
  const current = asks[at]
  // The one before the eyes was settled, here or elsewhere: its line stays above the next one and says how.
  if (chosen !== undefined && current?.id !== chosen) setLeft(chosen)
  if (current?.id !== chosen) setChosen(current?.id)

  useEffect(() => {
    if (left === undefined) return
    const timer = setTimeout(() => setLeft(undefined), LINE_MS)
    return () => clearTimeout(timer)
  }, [left])

  const go = (step: number) => {
    setLeft(undefined)
    setChosen(asks[(at + step + asks.length) % asks.length]?.id)
  }
  if (!current && left === undefined) return null
  return (
    <div className={`mx-auto w-full max-w-3xl px-3 py-2 sm:px-4 ${hidden && current ? 'hidden' : ''}`}>
      {left !== undefined && left !== current?.id && (
        <div className="mb-2">
          <LiveAskCard key={left} askId={left} underSession />
        </div>
      )}
      {current && !hidden && (
        <>
          <div className="flex min-h-9 items-center gap-1 text-[13px] text-quiet">
            <h2 className={asks.length > 1 ? 'sr-only' : 'pl-1 font-medium text-wait'}>Waiting for you</h2>
            {asks.length > 1 && (
              <>
                <IconButton icon={ChevronLeft} label="Previous ask" onClick={() => go(-1)} />
                <span className="tabular-nums">
                  {at + 1} of {asks.length}
                </span>
                <IconButton icon={ChevronRight} label="Next ask" onClick={() => go(1)} />
              </>
            )}
            {onWrite && (
              <button
                type="button"
                onClick={onWrite}
                title="It waits until the agent is free"
                className="ml-auto inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9"
              >
                <PenLine aria-hidden className="size-3.5" />
                Write a message instead
              </button>
            )}
          </div>
          <div className="max-h-[min(62dvh,46rem)] overflow-y-auto rounded-xl">
            <LiveAskCard
              key={current.id}
              askId={current.id}
              underSession
              {...(!mayAct && { blocked: 'This browser may look, but not answer.' })}
            />
          </div>
        </>
      )}
    </div>
  )
}
