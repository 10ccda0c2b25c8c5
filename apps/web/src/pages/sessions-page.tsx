import { useGateway } from '@holdpoint/react/use-gateway'
import { Plus } from 'lucide-react'
import { useIsOwner } from '../me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { SessionList } from '../shell/session-list.tsx'
import { useEarlierSessions } from '../shell/use-earlier-sessions.ts'

export function SessionsPage() {
  const isConnecting = useGateway((state) => state.link === 'connecting')
  const isEmpty = useGateway((state) => state.sessions.size === 0)
  const isOwner = useIsOwner()
  const earlier = useEarlierSessions()
  return (
    <Page
      title="Sessions"
      aside={
        isOwner && (
          <span className="ml-auto hidden desk:block">
            <LinkButton href="/new" icon={Plus}>
              New session
            </LinkButton>
          </span>
        )
      }
    >
      {isConnecting ? (
        <Skeleton />
      ) : isEmpty ? (
        <p className="text-quiet">No session yet. What agents do, and what they ask, shows up here.</p>
      ) : (
        <div className="-mx-2.5">
          <SessionList earlier={earlier} />
        </div>
      )}
    </Page>
  )
}
