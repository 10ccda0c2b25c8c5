import type { Result } from '@holdpoint/client/gateway-client'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useSession } from '@holdpoint/react/hooks/use-session'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { useCallback, useRef, useState } from 'react'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { RemoteView } from '../parts/remote-view.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
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

export function SessionPage({ id }: { id: string }) {
  // An address can hold anything; what is not the id of a session is simply not found.
  const session = useSession(id as SessionId)
  const isConnecting = useGateway((state) => state.link === 'connecting')
  if (session) return <OneSession session={session} />
  if (isConnecting) {
    return (
      <div className="mx-auto max-w-3xl px-4 py-8">
        <Skeleton rows={4} />
      </div>
    )
  }
  return <EarlierSession id={id} />
}

/** One that ended so long ago that it did not come with the others. */
function EarlierSession({ id }: { id: string }) {
  const client = useClient()
  const read = useCallback(async (): Promise<Result<Session | undefined>> => {
    const result = await client.session(id)
    return !result.ok && result.code === 'not_found' ? { ok: true, value: undefined } : result
  }, [client, id])
  const { remote, again } = useRemote(read)
  if (remote.state === 'ready') return remote.value ? <OneSession session={remote.value} /> : <NoSession />
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

function OneSession({ session }: { session: Session }) {
  usePageTitle(session.title)
  const header = useRef<HTMLDivElement>(null)
  const dock = useRef<DockHandle>(null)
  // The button that interrupts goes when there is nothing to interrupt any more.
  useKeepFocus(header)
  // One that has ended leaves no picture; somebody who has looked on keeps the last one.
  const [wasAlive, setWasAlive] = useState(false)
  if (session.state !== 'dead' && !wasAlive) setWasAlive(true)
  const showsTerminal = hasTerminal(session) && (wasAlive || session.state !== 'dead')
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
      {session.deleted ? (
        <div className="flex-1 px-4 py-10 text-center text-quiet">What was said in it was deleted.</div>
      ) : showsTerminal ? (
        <SessionPanes {...thread} />
      ) : (
        <ThreadView {...thread} />
      )}
      <Dock ref={dock} session={session} isDamaged={isDamaged} />
    </DropPane>
  )
}
