import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Plus } from 'lucide-react'
import { useSearch } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { Page } from '../parts/page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { SessionList } from './session-list.tsx'

export function SessionsPage() {
  const isConnecting = useGateway((state) => state.link === 'connecting')
  const isEmpty = useGateway((state) => state.sessions.size === 0)
  const isOwner = useIsOwner()
  const search = new URLSearchParams(useSearch()).get('search') ?? ''
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
        <p className="text-quiet">No sessions yet. What agents do and ask is shown here.</p>
      ) : (
        <div className="-mx-2.5">
          <SessionList key={search} search={search} />
        </div>
      )}
    </Page>
  )
}
