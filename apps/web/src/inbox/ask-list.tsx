import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { type RefObject, useMemo } from 'react'
import { InboxGroup } from './inbox-group.tsx'
import { InboxLine, PointerBusyContext } from './inbox-line.tsx'
import { groupsOf } from './placing.ts'
import type { Inbox } from './use-inbox.ts'
import { usePointerBusy } from './use-pointer-busy.ts'

interface AskListProps {
  readonly inbox: Pick<Inbox, 'view' | 'drawn'>
  /** Left out where this browser may only look. */
  readonly burst: Burst | undefined
  /** The element around it. */
  readonly list: RefObject<HTMLElement | null>
}

/** The asks that are drawn, as cards by session or as lines. */
export function AskList({ inbox: { view, drawn }, burst, list }: AskListProps) {
  const isBusy = usePointerBusy(list)
  const groups = useMemo(() => (view === 'cards' ? groupsOf(drawn) : []), [view, drawn])
  const last = drawn.at(-1)
  if (view === 'cards') {
    return (
      <div className="flex flex-col gap-6">
        {groups.map((group) => (
          <InboxGroup
            key={group.id}
            group={group}
            last={last && group.askIds.at(-1) === last.askId ? last.askId : undefined}
            holds={isBusy}
            burst={burst}
          />
        ))}
      </div>
    )
  }
  if (drawn.length === 0) return null
  return (
    <PointerBusyContext value={isBusy}>
      <ul
        aria-label="Asks"
        className="divide-y divide-line overflow-clip rounded-xl border border-line bg-card shadow-card"
      >
        {drawn.map(({ askId, ask }) => (
          <InboxLine key={askId} ask={ask} burst={burst} />
        ))}
      </ul>
    </PointerBusyContext>
  )
}
