import { useGateway } from '@holdpoint/react/use-gateway'
import { useSession } from '@holdpoint/react/use-session'
import type { SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { useCallback, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useKeepFocus } from '../parts/use-keep-focus.ts'
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
  const [isWriting, setIsWriting] = useState(false)
  useKeepFocus(dock)
  const goToAsk = useCallback(() => {
    // The card has to be there before it can have the focus.
    flushSync(() => setIsWriting(false))
    dock.current?.querySelector<HTMLElement>('[data-ask-id]')?.focus()
  }, [])
  return (
    <div className="absolute inset-0 flex flex-col">
      <SessionHeader session={session} />
      <SessionBanner session={session} />
      <ThreadView session={session} onGoToAsk={goToAsk} />
      <div ref={dock} className="contents">
        <Dock session={session} isWriting={isWriting} onWriting={setIsWriting} />
      </div>
    </div>
  )
}
