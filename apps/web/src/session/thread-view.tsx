import { useThread } from '@holdpoint/react/use-thread'
import type { Session } from '@holdpoint/schema/session'
import { Notice } from '../parts/notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { ThreadList } from './thread-list.tsx'

export interface ThreadViewProps {
  readonly session: Session
  /** Goes to the ask that waits below. */
  onGoToAsk(): void
}

/** A session's thread, as it goes on. */
export function ThreadView({ session, onGoToAsk }: ThreadViewProps) {
  const thread = useThread(session.id)
  if (thread.state === 'loading') {
    return (
      <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 overflow-hidden px-4 py-6">
        <Skeleton rows={4} />
      </div>
    )
  }
  if (thread.state === 'failed') {
    return (
      <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 px-4 py-6">
        <Notice tone="deny" role="alert">
          The thread could not be read. It is tried again as soon as the connection is live.
        </Notice>
      </div>
    )
  }
  return (
    <ThreadList
      thread={thread}
      loadOlder={thread.loadOlder}
      isIdle={session.state === 'dead' || session.state === 'user_turn'}
      folder={session.cwd}
      sessionId={session.id}
      empty={session.state === 'starting' ? 'The agent is starting…' : 'Nothing was said yet.'}
      onGoToAsk={onGoToAsk}
    />
  )
}
