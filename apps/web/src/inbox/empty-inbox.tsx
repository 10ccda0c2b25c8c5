import { isArchived } from '@holdpoint/core/archiving'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Button } from '@holdpoint/react/ui/button'
import { Play, Plus } from 'lucide-react'
import { useMemo } from 'react'
import { useIsOwner, useMe } from '../account/me.tsx'
import { useStartSession } from '../new-session/use-start-session.ts'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { LinkButton } from '../parts/link-button.tsx'
import { isOver } from '../sessions/session-groups.ts'
import { SessionRow } from '../sessions/session-row.tsx'
import { useCalmSessions } from '../sessions/use-calm-sessions.ts'

/** Nothing to do: what is running, or for a newcomer, how to begin. */
export function EmptyInbox() {
  const isNew = useGateway((state) => state.sessions.size === 0)
  return isNew ? <Welcome /> : <Running />
}

function Running() {
  const sessions = useCalmSessions()
  const sorted = useMemo(
    () =>
      sessions
        .filter((session) => !isOver(session) && !isArchived(session))
        .sort((one, other) => other.stateChangedAt - one.stateChangedAt),
    [sessions],
  )
  const isOwner = useIsOwner()
  if (sorted.length === 0) {
    return (
      <div className="mt-2 flex flex-col items-start gap-4 px-1">
        <p className="text-quiet">No agent is running.</p>
        {isOwner && (
          <div className="flex flex-wrap gap-2">
            <LinkButton href="/new" icon={Plus} primary>
              Start a session
            </LinkButton>
            <DemoButton />
          </div>
        )}
      </div>
    )
  }
  return (
    <section aria-labelledby="running" className="mt-2">
      <h2 id="running" className="mb-2 px-1 text-sm text-quiet">
        Running now
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card p-1 shadow-card">
        {sorted.map((session) => (
          <li key={session.id}>
            <SessionRow session={session} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Welcome() {
  const isOwner = useIsOwner()
  return (
    <div className="mt-2 max-w-xl px-1">
      <p className="text-quiet">
        When an agent wants to run a command, asks a question or has a plan to approve, it stops, and the card shows up
        here. The agent continues only with your answer.
      </p>
      {isOwner && (
        <div className="mt-5 flex flex-wrap gap-3">
          <DemoButton primary />
          <LinkButton href="/new" icon={Plus}>
            Start a session
          </LinkButton>
        </div>
      )}
    </div>
  )
}

function DemoButton({ primary = false }: { primary?: boolean }) {
  const me = useMe()
  const { start, busy, failure } = useStartSession()
  if (me && !me.agents.includes('demo')) return null
  return (
    <>
      <Button
        variant={primary ? 'primary' : 'plain'}
        icon={Play}
        busy={busy}
        onClick={() => void start({ agent: 'demo', prompt: 'Show me around', title: 'Tour' })}
      >
        Try the demo (no key needed)
      </Button>
      <FailureNotice why={failure?.message} />
    </>
  )
}
