import { render } from '@holdpoint/core/text/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import type { AskId } from '@holdpoint/schema/id'
import { useEffect, useRef, useState } from 'react'
import { useAsks } from '../hooks/use-asks.tsx'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { headingOf } from './heading.ts'

/** Tells screen readers of each new ask, once and politely, as long as it waits. One per page. */
export function AskAnnouncer() {
  const client = useClient()
  const asks = useAsks()
  const announced = useRef(new Set<string>())
  const [said, setSaid] = useState<Said>({ count: 0, words: '', of: [] })
  useEffect(() => {
    const fresh = asks.filter((ask) => !announced.current.has(ask.id))
    announced.current = new Set(asks.map((ask) => ask.id))
    if (fresh.length === 0) return
    const { sessions } = client.getState()
    const words = announcement(fresh, (ask) => sessions.get(ask.sessionId)?.title)
    setSaid(({ count }) => ({ count: count + 1, words, of: fresh.map((ask) => ask.id) }))
  }, [asks, client])
  const isTrue = said.of.every((id) => asks.some((ask) => ask.id === id))
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {/* A new element each time: the same words twice are two announcements. */}
      <span key={said.count}>{isTrue && said.words}</span>
    </div>
  )
}

interface Said {
  readonly count: number
  readonly words: string
  readonly of: readonly AskId[]
}

function announcement(asks: readonly Ask[], titleOf: (ask: Ask) => string | undefined): string {
  const [first] = asks
  if (!first) return ''
  const where = titleOf(first)
  const one = `Needs answer: ${headingOf(first).tool}${where ? ` in ${where}` : ''}`
  return render(asks.length === 1 ? one : `${one}, and ${asks.length - 1} more`)
}
