import { LiveAskCard } from '@holdpoint/react/cards/live-ask-card'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { ChevronLeft, ChevronRight, PenLine } from 'lucide-react'
import { memo, useCallback, useEffect, useState } from 'react'
import { useIsOwner, useMayAct } from '../account/me.tsx'
import { KeyNoteLine } from '../inbox/key-note-line.tsx'
import { useCardKeyNote } from '../inbox/use-key-note.ts'

/** The dock grows upwards: when the line goes, the card below it stays where it is. */
const LINE_MS = 6000

export interface AskDockProps {
  /** Open ones of one session, oldest first. */
  readonly asks: readonly Ask[]
  readonly hidden: boolean
  readonly onWrite: (() => void) | undefined
  /** The one that is before the eyes, or comes before them when the person has written. */
  onCurrent(ask: Ask | undefined): void
}

/** The open asks of a session, one at a time, in the place of the message box. */
export const AskDock = memo(function AskDock({ asks, hidden, onWrite, onCurrent }: AskDockProps) {
  const mayAct = useMayAct()
  const isOwner = useIsOwner()
  const note = useCardKeyNote()
  const [chosen, setChosen] = useState<AskId>()
  // Every ask that was before the eyes. An open one stays in the page out of sight, with what was half written on it;
  // the last that was settled, here or elsewhere, becomes a line above the next one and says how.
  const [opened, setOpened] = useState<readonly AskId[]>([])
  const [line, setLine] = useState<AskId>()
  // What was withdrawn because it had changed is asked again in a moment: until then no other card takes its place.
  const isAskedAgain = useGateway(({ settled }) =>
    settled.some(({ ask, outcome }) => ask.id === chosen && outcome.reason === 'changed'),
  )
  const found = asks.findIndex((ask) => ask.id === chosen || (chosen !== undefined && ask.replaces === chosen))
  const at = Math.max(0, found)
  const awaits = found === -1 && isAskedAgain && chosen !== undefined && opened.includes(chosen)
  const current = awaits ? undefined : asks[at]
  if (!awaits && current?.id !== chosen) setChosen(current?.id)
  if (current && !hidden && !opened.includes(current.id)) setOpened([...opened, current.id])
  const replaced = opened.find((id) => asks.some((ask) => ask.replaces === id))
  const settled = opened.find((id) => id !== line && !asks.some((ask) => ask.id === id))
  if (replaced !== undefined) {
    // The card that took its place says why.
    setOpened(opened.filter((id) => id !== replaced))
    if (line === replaced) setLine(undefined)
  } else if (settled !== undefined) {
    setLine(settled)
    setOpened(opened.filter((id) => id !== line))
  }
  const dropLine = useCallback(() => {
    setOpened((all) => all.filter((id) => id !== line))
    setLine(undefined)
    setChosen((before) => (before === line ? undefined : before))
  }, [line])
  useEffect(() => {
    if (line === undefined) return
    const timer = setTimeout(dropLine, LINE_MS)
    return () => clearTimeout(timer)
  }, [line, dropLine])

  useEffect(() => onCurrent(current), [current, onCurrent])

  const go = (step: number) => {
    dropLine()
    setChosen(asks[(at + step + asks.length) % asks.length]?.id)
  }
  const shown = hidden ? undefined : current
  return (
    <div
      className={`mx-auto flex w-full max-w-3xl flex-col px-3 py-2 sm:px-4 ${shown || line !== undefined ? '' : 'hidden'}`}
    >
      {shown && (
        <div className="order-1 flex min-h-9 flex-wrap items-center gap-1 text-[13px] text-quiet">
          <h2 className={asks.length > 1 ? 'sr-only' : 'pl-1 font-medium text-wait'}>Needs answer</h2>
          {asks.length > 1 && (
            <>
              <IconButton icon={ChevronLeft} label="Previous ask" onClick={() => go(-1)} />
              <span className="tabular-nums">
                {at + 1} of {asks.length}
              </span>
              <IconButton icon={ChevronRight} label="Next ask" onClick={() => go(1)} />
            </>
          )}
          <KeyNoteLine note={note} />
          {onWrite && (
            <button
              type="button"
              onClick={onWrite}
              title="The message waits until the agent is free"
              className="ml-auto inline-flex min-h-11 items-center gap-1.5 rounded-md px-2 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9"
            >
              <PenLine aria-hidden className="size-3.5" />
              Write a message instead
            </button>
          )}
        </div>
      )}
      {opened.map((id) => (
        <div
          key={id}
          hidden={id !== shown?.id && id !== line}
          className={id === line ? 'mb-2' : 'order-2 max-h-[min(62dvh,46rem)] overflow-y-auto rounded-xl'}
        >
          <LiveAskCard
            askId={id}
            underSession
            canMakeRules={isOwner}
            {...(!mayAct && { blocked: 'This browser can view asks, but not answer them.' })}
          />
        </div>
      ))}
    </div>
  )
})
