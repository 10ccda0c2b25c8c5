import { BurstBar, useBurst } from '@holdpoint/react/cards/burst-bar'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Button } from '@holdpoint/react/ui/button'
import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useMayAct } from '../account/me.tsx'
import { Notice } from '../parts/notice.tsx'
import { openCard } from '../parts/open-card.ts'
import { usePageTitle } from '../parts/page-title.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { isFiltering, NO_FILTER } from './ask-filter.ts'
import { AskList } from './ask-list.tsx'
import { EmptyInbox } from './empty-inbox.tsx'
import { InboxHeading } from './inbox-heading.tsx'
import { InboxStatus } from './inbox-status.tsx'
import { InboxTools } from './inbox-tools.tsx'
import type { InboxSort } from './placing.ts'
import { useInbox } from './use-inbox.ts'
import { useInboxKeys } from './use-inbox-keys.ts'
import { useLasting } from './use-lasting.ts'
import { useViewSwitch } from './use-view-switch.ts'
import { ViewButtons } from './view-buttons.tsx'

/** Left out where it cannot be loaded: without a catch the whole inbox would be gone, and with it the asks. */
const RuleDigest = lazy(() =>
  import('./rule-digest.tsx').then(
    (part) => ({ default: part.RuleDigest }),
    () => ({ default: () => null }),
  ),
)

/** Asks often come one after the other: a list that is there between two of them only flickers. */
const CALM_MS = 300
/** From so many asks on, the tools are there without being asked for. */
const MANY = 8

/** Everything that waits for this person. */
export function InboxPage() {
  usePageTitle(undefined)
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [filter, setFilter] = useState(NO_FILTER)
  const [sort, setSort] = useState<InboxSort>('session')
  const [wantsTools, setWantsTools] = useState<boolean>()
  const inbox = useInbox(list, filter, sort)
  const waiting = useAsks().length
  const isConnecting = useGateway((state) => state.link === 'connecting')
  const mayAct = useMayAct()
  const isCalm = useLasting(waiting === 0, CALM_MS)
  const burst = useBurst(inbox.found)
  const usable = mayAct ? burst : undefined
  const hasTools = wantsTools ?? inbox.arranged >= MANY
  // Also while only lines of settled asks are there: the next ask must not move them.
  const hasList = waiting > 0 || inbox.drawn.length > 0

  const showAll = useCallback(() => setFilter(NO_FILTER), [])
  const toggleTools = (isWanted: boolean) => {
    setWantsTools(isWanted)
    // What nobody can see must not narrow the page down.
    if (!isWanted) {
      setFilter(NO_FILTER)
      setSort('session')
    }
  }
  const onSearch = useCallback(() => {
    flushSync(() => setWantsTools(true))
    search.current?.focus()
    search.current?.select()
  }, [])
  const toAsks = useCallback(() => {
    const next = list.current && openCard(list.current)
    if (next) next.focus()
    else if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  }, [])
  const onView = useViewSwitch(list, inbox.view)
  const note = useInboxKeys({
    asks: inbox.open,
    burst: usable,
    onSearch,
    onView,
    onShowAll: isFiltering(filter) ? showAll : undefined,
  })

  return (
    <div className="mx-auto flex min-h-full w-full max-w-240 flex-col px-3 pt-4 pb-8 sm:px-4 desk:px-8 desk:pt-7">
      <InboxHeading isConnecting={isConnecting} note={note}>
        {hasList && <ViewButtons view={inbox.view} hasTools={hasTools} onTools={toggleTools} onView={onView} />}
      </InboxHeading>
      {!mayAct && waiting > 0 && (
        <div className="mb-4">
          <Notice>This browser can view asks, but not answer them. An owner can pair it again as an approver.</Notice>
        </div>
      )}
      {hasTools && hasList && (
        <>
          <InboxTools
            filter={filter}
            sort={sort}
            search={search}
            onFilter={setFilter}
            onSort={setSort}
            onLeave={toAsks}
          />
          <div data-sticks="top" className="sticky top-0 z-10 -mx-1 mt-1 mb-2 bg-bg px-1 py-1">
            <InboxStatus
              asks={inbox.open}
              burst={usable}
              hidden={inbox.hidden}
              newer={inbox.newer}
              onShowAll={showAll}
              onShowNewer={inbox.arrangeAgain}
            />
          </div>
        </>
      )}
      {inbox.drawn.length === 0 && inbox.hidden > 0 && (
        <p className="px-1 py-6 text-center text-sm text-quiet">No ask matches the filter.</p>
      )}
      <div ref={list}>
        <AskList inbox={inbox} burst={usable} list={list} />
      </div>
      {inbox.left > 0 && (
        <Button className="mt-6 self-center" onClick={inbox.showMore}>
          Show more ({inbox.left})
        </Button>
      )}
      <div data-sticks="bottom" className="sticky bottom-2 z-10 mt-3 empty:hidden">
        <BurstBar asks={inbox.found} burst={burst} onDone={toAsks} />
      </div>
      {isConnecting ? <Skeleton rows={2} className="h-44" /> : isCalm && <EmptyInbox />}
      {!isConnecting && (
        <Suspense>
          <RuleDigest />
        </Suspense>
      )}
    </div>
  )
}
