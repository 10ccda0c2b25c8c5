import { AskLine } from '@holdpoint/react/cards/ask-line'
import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { LiveAskCard } from '@holdpoint/react/cards/live-ask-card'
import type { Ask } from '@holdpoint/schema/ask'
import { createContext, type KeyboardEvent, memo, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { HeldSlot } from './held-slot.tsx'
import { CANNOT_ANSWER } from './inbox-group.tsx'

export interface InboxLineProps {
  readonly ask: Ask
  /** Left out where this browser may only look. */
  readonly burst: Burst | undefined
}

/** Somebody's pointer is at work among the lines. For the open ones alone: hundreds of others need not be drawn again. */
export const PointerBusyContext = createContext(false)

/**
 * One ask in one line. It opens in place: the card comes below its line. What is out of sight is not laid out, but it is
 * there, for the browser's search and for a screen reader.
 */
export const InboxLine = memo(function InboxLine({ ask, burst }: InboxLineProps) {
  const [isOpen, setOpen] = useState(false)
  const toggle = useCallback(() => setOpen((before) => !before), [])
  const line = useRef<HTMLLIElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current === isOpen) return
    wasOpen.current = isOpen
    // The keys of a card are for the card; closed, for its line.
    line.current?.querySelector<HTMLElement>('[data-ask-id]')?.focus({ preventScroll: true })
    if (isOpen) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  function onKeyDown(event: KeyboardEvent) {
    if (!isOpen || event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    setOpen(false)
  }
  return (
    <li
      ref={line}
      onKeyDown={onKeyDown}
      className={
        isOpen
          ? 'scroll-mt-14 scroll-mb-2 bg-panel'
          : '[contain-intrinsic-size:auto_3.5rem] [content-visibility:auto] sm:[contain-intrinsic-size:auto_2.375rem]'
      }
    >
      {/* Its card has the tick box while it is open. */}
      <AskLine ask={ask} burst={isOpen ? undefined : burst} isOpen={isOpen} onToggle={toggle} />
      {isOpen && <OpenCard ask={ask} burst={burst} />}
    </li>
  )
})

function OpenCard({ ask, burst }: InboxLineProps) {
  const isOwner = useIsOwner()
  const holds = useContext(PointerBusyContext)
  return (
    <div className="px-2 pb-2">
      <HeldSlot holds={holds}>
        <LiveAskCard
          askId={ask.id}
          underSession
          canMakeRules={isOwner}
          {...(burst ? { burst } : { blocked: CANNOT_ANSWER })}
        />
      </HeldSlot>
    </div>
  )
}
