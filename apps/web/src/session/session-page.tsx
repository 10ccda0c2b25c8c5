import type { Result } from '@holdpoint/client/gateway-client'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useSession } from '@holdpoint/react/hooks/use-session'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { lazy, Suspense, useCallback, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useMayAct } from '../account/me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { RemoteView } from '../parts/remote-view.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useIsWide } from '../parts/use-is-wide.ts'
import { useKeepFocus } from '../parts/use-keep-focus.ts'
import { useRemote } from '../parts/use-remote.ts'
import { hasTerminal } from '../terminal/session-terminal.ts'
import { ThreadView } from '../thread/thread-view.tsx'
import { ArchivedBar } from './archived-bar.tsx'
import { AwayBanner } from './away-banner.tsx'
import { Dock, type DockHandle } from './dock.tsx'
import { DropPane } from './drop-pane.tsx'
import { SessionBanner } from './session-banner.tsx'
import { SessionHeader } from './session-header.tsx'
import { SessionPanes } from './session-panes.tsx'
import { takesMessages } from './takes-messages.ts'
import { UsageBanner } from './usage-banner.tsx'

const ChangesPane = lazy(() => import('../changes/changes-pane.tsx').then((pane) => ({ default: pane.ChangesPane })))

const SESSION_ID = /^ses_[0-9a-z]{26}$/

export function SessionPage({ id, showsChanges }: { id: string; showsChanges: boolean }) {
  // An address can hold anything; what is not the id of a session is simply not found.
  const session = useSession(id as SessionId)
  const isConnecting = useGateway((state) => state.link === 'connecting')
  if (session) return <OneSession {...{ session, showsChanges }} />
  if (isConnecting) {
    return (
      <div className="mx-auto max-w-3xl px-4 py-8">
        <Skeleton rows={4} />
      </div>
    )
  }
  return SESSION_ID.test(id) ? <EarlierSession id={id} showsChanges={showsChanges} /> : <NoSession />
}

/** One that ended so long ago that it did not come with the others. */
function EarlierSession({ id, showsChanges }: { id: string; showsChanges: boolean }) {
  const client = useClient()
  const read = useCallback(async (): Promise<Result<Session | undefined>> => {
    const result = await client.session(id)
    return !result.ok && result.code === 'not_found' ? { ok: true, value: undefined } : result
  }, [client, id])
  const { remote, again } = useRemote(read)
  if (remote.state === 'ready')
    return remote.value ? <OneSession {...{ session: remote.value, showsChanges }} /> : <NoSession />
  return (
    <div className="mx-auto w-full max-w-3xl px-4 py-8">
      <RemoteView remote={remote} again={again}>
        {() => null}
      </RemoteView>
    </div>
  )
}

function NoSession() {
  return (
    <Page title="No such session">
      <p className="text-quiet">This session does not exist, or this browser may not see it.</p>
      <div>
        <LinkButton href="/sessions">All sessions</LinkButton>
      </div>
    </Page>
  )
}

function OneSession({ session, showsChanges }: { session: Session; showsChanges: boolean }) {
  usePageTitle(session.title)
  const [, navigate] = useLocation()
  const isWide = useIsWide()
  const hasOpenAsk = useAsks(session.id).length > 0
  const mayWrite = useMayAct() && takesMessages(session)
  const isBeside = showsChanges && isWide
  const closeChanges = () => navigate(`/sessions/${session.id}`)
  const header = useRef<HTMLDivElement>(null)
  const dock = useRef<DockHandle>(null)
  // The button that interrupts goes when there is nothing to interrupt any more.
  useKeepFocus(header)
  const goToAsk = useCallback(() => dock.current?.showAsk(), [])
  const [damagedId, setDamagedId] = useState<SessionId>()
  const [isSearching, setSearching] = useState(false)
  const isDamaged = session.endReason === 'record-damaged' || damagedId === session.id
  const thread = { session, onGoToAsk: goToAsk, onDamaged: setDamagedId, isSearching, onSearch: setSearching }
  return (
    <DropPane attach={() => dock.current?.attach} className="absolute inset-0 flex flex-col">
      <div ref={header} tabIndex={-1} className="shrink-0 outline-none">
        <SessionHeader session={session} onSearch={() => setSearching(true)} />
      </div>
      <SessionBanner session={session} />
      <AwayBanner session={session} />
      <ArchivedBar session={session} />
      <UsageBanner session={session} />
      <div className="flex min-h-0 flex-1">
        {/* In a narrow window the changes have all the room; what is half written below the thread stays as it is. */}
        <div className={`flex min-w-0 flex-[1_1_0%] flex-col ${showsChanges && !isBeside ? 'hidden' : ''}`}>
          {session.deleted ? (
            <div className="flex-1 px-4 py-10 text-center text-quiet">What was said in it was deleted.</div>
          ) : hasTerminal(session) && session.endReason !== 'record-damaged' ? (
            <SessionPanes {...thread} />
          ) : (
            <ThreadView {...thread} />
          )}
          <Dock ref={dock} session={session} isDamaged={isDamaged} />
        </div>
        {showsChanges && (
          <div className={`flex min-w-0 flex-[1_1_0%] flex-col ${isBeside ? 'border-l border-line' : ''}`}>
            {hasOpenAsk && !isBeside && (
              <button
                type="button"
                onClick={closeChanges}
                className="flex min-h-11 shrink-0 items-center justify-center gap-2 border-b border-wait-line bg-wait-bg px-3 text-sm font-medium text-wait focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
              >
                The agent needs an answer: show it
              </button>
            )}
            <Suspense fallback={<Skeleton rows={3} className="m-4 h-12" />}>
              <ChangesPane session={session} mayWrite={mayWrite} onClose={closeChanges} />
            </Suspense>
          </div>
        )}
      </div>
    </DropPane>
  )
}
