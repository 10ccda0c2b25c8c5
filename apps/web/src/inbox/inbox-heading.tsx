import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Age } from '@holdpoint/react/time/age'
import { Kbd } from '@holdpoint/react/ui/kbd'
import type { ReactNode } from 'react'
import { Heading } from '../parts/page.tsx'
import { KeyNoteLine } from './key-note-line.tsx'
import type { KeyNote } from './use-key-note.ts'

const KEYS = (
  <span
    aria-hidden
    className="hidden shrink-0 items-center gap-1.5 text-xs text-nowrap text-faint lg:pointer-fine:flex"
  >
    <Kbd>j</Kbd>
    <Kbd>k</Kbd> move
    <Kbd>a</Kbd> allow
    <Kbd>d</Kbd> deny
    <Kbd>?</Kbd>
  </span>
)

interface InboxHeadingProps {
  readonly isConnecting: boolean
  /** In the place of how long the oldest waits, until the next press. */
  readonly note: KeyNote | undefined
  readonly children: ReactNode
}

/** How much waits, hidden by a filter or not, and since when. */
export function InboxHeading({ isConnecting, note, children }: InboxHeadingProps) {
  const asks = useAsks()
  const isNew = useGateway((state) => state.sessions.size === 0)
  const oldest = asks[0]?.raisedAt
  const words =
    asks.length > 0 ? `${asks.length} ${asks.length === 1 ? 'needs' : 'need'} an answer` : 'Nothing needs an answer'
  return (
    <div className="mb-4 flex min-h-9 items-center gap-x-2.5 px-1">
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2.5">
        <Heading>{isConnecting ? 'Inbox' : isNew && asks.length === 0 ? 'Welcome' : words}</Heading>
        <KeyNoteLine note={note} />
        {oldest !== undefined && !note && (
          <span className="text-sm text-nowrap text-quiet">
            oldest <Age since={oldest} />
          </span>
        )}
      </div>
      {asks.length > 0 && KEYS}
      {children}
    </div>
  )
}
