import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import { Kbd } from '@holdpoint/react/ui/kbd'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useMayAct } from '../account/me.tsx'
import { Notice } from '../parts/notice.tsx'
import { Heading } from '../parts/page.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { EmptyInbox } from './empty-inbox.tsx'
import { InboxGroup } from './inbox-group.tsx'
import { groupsOf, upToOpen } from './placing.ts'
import { useLasting } from './use-lasting.ts'
import { usePlacing } from './use-placing.ts'
import { usePointerBusy } from './use-pointer-busy.ts'

/** Left out where it cannot be loaded: without a catch the whole inbox would be gone, and with it the asks. */
const RuleDigest = lazy(() =>
  import('./rule-digest.tsx').then(
    (part) => ({ default: part.RuleDigest }),
    () => ({ default: () => null }),
  ),
)

/** How many cards are drawn at once; the oldest are the ones to answer first. */
const STEP = 50
/** Asks often come one after the other: a list that is there between two of them only flickers. */
const CALM_MS = 300

const KEYS = (
  <span aria-hidden className="ml-auto hidden items-center gap-1.5 text-xs text-nowrap text-faint sm:pointer-fine:flex">
    <Kbd>j</Kbd>
    <Kbd>k</Kbd> move
    <Kbd>a</Kbd> allow
    <Kbd>d</Kbd> deny
    <Kbd>?</Kbd>
  </span>
)

/** Everything that waits for this person, oldest first. */
export function InboxPage() {
  usePageTitle(undefined)
  const list = useRef<HTMLDivElement>(null)
  const placed = usePlacing(list)
  const isBusy = usePointerBusy(list)
  const [shown, setShown] = useState(STEP)
  const asks = useAsks()
  const drawn = useMemo(() => upToOpen(placed, asks, shown), [placed, asks, shown])
  const groups = useMemo(() => groupsOf(drawn), [drawn])
  const isConnecting = useGateway((state) => state.link === 'connecting')
  const waiting = asks.length
  const oldest = asks[0]?.raisedAt
  const isNew = useGateway((state) => state.sessions.size === 0)
  const mayAct = useMayAct()
  const isCalm = useLasting(waiting === 0, CALM_MS)
  const last = drawn.at(-1)

  return (
    <div className="mx-auto flex min-h-full w-full max-w-240 flex-col px-3 pt-4 pb-8 sm:px-4 desk:px-8 desk:pt-7">
      <div className="mb-4 flex min-h-9 items-baseline gap-2.5 px-1">
        <Heading>
          {isConnecting
            ? 'Inbox'
            : waiting === 0
              ? isNew
                ? 'Welcome'
                : 'Nothing needs an answer'
              : `${waiting} ${waiting === 1 ? 'needs' : 'need'} an answer`}
        </Heading>
        {oldest !== undefined && (
          <span className="text-sm text-nowrap text-quiet">
            oldest <Age since={oldest} />
          </span>
        )}
        {waiting > 0 && KEYS}
      </div>
      {!mayAct && waiting > 0 && (
        <div className="mb-4">
          <Notice>This browser can view asks, but not answer them. An owner can pair it again as an approver.</Notice>
        </div>
      )}
      <div ref={list} className="flex flex-col gap-6">
        {groups.map((group) => (
          <InboxGroup
            key={group.id}
            group={group}
            last={last && group.askIds.at(-1) === last.askId ? last.askId : undefined}
            holds={isBusy}
          />
        ))}
      </div>
      {waiting > shown && (
        <Button className="mt-6 self-center" onClick={() => setShown(shown + STEP)}>
          Show more ({waiting - shown})
        </Button>
      )}
      {isConnecting ? <Skeleton rows={2} className="h-44" /> : isCalm && <EmptyInbox />}
      {!isConnecting && (
        <Suspense>
          <RuleDigest />
        </Suspense>
      )}
    </div>
  )
}
