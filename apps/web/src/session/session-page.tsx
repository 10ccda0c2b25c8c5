import { useGateway } from '@holdpoint/react/use-gateway'
import { useSession } from '@holdpoint/react/use-session'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { useCallback, useRef } from 'react'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { usePageTitle } from '../shell/page-title.ts'
import { Dock } from './dock.tsx'
import { SessionBanner } from './session-banner.tsx'
import { SessionHeader } from './session-header.tsx'
import { ThreadView } from './thread-view.tsx'

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
  return (
    <Page title="No such session">
      <p className="text-quiet">This session does not exist, or it is not for this browser to see.</p>
      <div>
        <LinkButton href="/sessions">All sessions</LinkButton>
      </div>
    </Page>
  )
}

function OneSession({ session }: { session: Session }) {
  usePageTitle(session.title)
  const dock = useRef<HTMLDivElement>(null)
  const goToAsk = useCallback(() => {
    dock.current?.querySelector<HTMLElement>('[data-ask-id]')?.focus()
  }, [])
  return (
    <div className="absolute inset-0 flex flex-col">
      <SessionHeader session={session} />
      <SessionBanner session={session} />
      <ThreadView session={session} onGoToAsk={goToAsk} />
      <div ref={dock} className="contents">
        <Dock session={session} />
      </div>
    </div>
  )
}
