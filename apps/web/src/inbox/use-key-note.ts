import { CARD_KEYS } from '@holdpoint/react/cards/card-keys'
import { isFreeKey } from '@holdpoint/react/ui/typing'
import { useEffect, useState } from 'react'

/** Why the last key did nothing. */
export interface KeyNote {
  readonly words: string
  /** The same words twice are said twice. */
  readonly count: number
}

/** Which ask has the focus, as a card or as a line. */
export function focusedAskId(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-ask-id]')?.dataset.askId
}

/** Hands each free key to `onKey`, which acts on it or says why it does nothing; those words stay until the next move. */
export function useKeyNote(onKey: (event: KeyboardEvent) => string | undefined): KeyNote | undefined {
  const [note, setNote] = useState<KeyNote>()
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (!isFreeKey(event)) return
      const words = onKey(event)
      setNote((before) => (words === undefined ? undefined : { words, count: (before?.count ?? 0) + 1 }))
    }
    const forget = () => setNote(undefined)
    const over = new AbortController()
    document.addEventListener('keydown', onKeyDown, { signal: over.signal })
    for (const type of ['focusin', 'pointerdown'] as const)
      document.addEventListener(type, forget, { signal: over.signal })
    return () => over.abort()
  }, [onKey])
  return note
}

/** Words only, never the focus: then the next press would decide what nobody has looked at. */
const NO_FOCUS = 'The card does not have the focus. Press j to go to it.'

function whyNothing({ key }: KeyboardEvent): string | undefined {
  return CARD_KEYS.test(key) && focusedAskId() === undefined ? NO_FOCUS : undefined
}

/** Says of a page that shows one card why a key of the card does nothing. */
export function useCardKeyNote(): KeyNote | undefined {
  return useKeyNote(whyNothing)
}
