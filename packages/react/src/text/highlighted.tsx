import { useEffect, useState } from 'react'
import { canHighlight, highlight } from './highlight.ts'
import type { Look } from './layout.ts'

const NONE: readonly Look[] = []

/** The colours of a text when they are there: none at first, so that the text itself never waits. */
export function useHighlight(text: string, language: string | undefined): readonly Look[] {
  const [found, setFound] = useState<{ readonly text: string; readonly looks: readonly Look[] }>()
  useEffect(() => {
    if (!canHighlight(text, language)) return
    let gone = false
    const cancel = whenIdle(() => {
      highlight(text, language).then(
        (looks) => !gone && setFound({ text, looks }),
        // Without colours the text is all there: a chunk that did not load is no reason to say anything.
        () => undefined,
      )
    })
    return () => {
      gone = true
      cancel()
    }
  }, [text, language])
  return found?.text === text ? found.looks : NONE
}

function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 50)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(run, { timeout: 1000 })
  return () => cancelIdleCallback(handle)
}
