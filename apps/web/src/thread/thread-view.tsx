import { useThread } from '@holdpoint/react/hooks/use-thread'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { ShieldAlert } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Notice } from '../parts/notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { focusThread, ThreadList, type ThreadListHandle } from './thread-list.tsx'

const ThreadSearch = lazy(() => import('./thread-search.tsx').then((part) => ({ default: part.ThreadSearch })))

export interface ThreadViewProps {
  readonly session: Session
  /** Goes to the ask that waits below. */
  onGoToAsk(): void
  /** The record turned out to be changed: there is nothing to show and nothing to resume. */
  onDamaged(id: SessionId): void
  readonly isSearching: boolean
  onSearch(isOpen: boolean): void
}

/** A session's thread, live. */
export function ThreadView({ session, onGoToAsk, onDamaged, isSearching, onSearch }: ThreadViewProps) {
  const list = useRef<ThreadListHandle>(null)
  const thread = useThread(session.id)
  const isDamaged = thread.state === 'damaged'
  useEffect(() => {
    if (isDamaged) onDamaged(session.id)
  }, [isDamaged, onDamaged, session.id])
  if (thread.state === 'loading') {
    return (
      <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 overflow-hidden px-4 py-6">
        <Skeleton rows={4} />
      </div>
    )
  }
  if (isDamaged) {
    return (
      <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 px-4 py-6">
        <Notice tone="deny" role="alert" icon={ShieldAlert}>
          <p>
            <strong>The record of this session was changed after it was written.</strong> So it cannot be shown or
            resumed. Other sessions are not affected.
          </p>
          <p className="mt-2">
            Stop the gateway, then run <code className="font-mono">holdpoint verify</code> to see where. Restore it from
            a backup.
          </p>
        </Notice>
      </div>
    )
  }
  if (thread.state === 'failed') {
    return (
      <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 px-4 py-6">
        <Notice tone="deny" role="alert">
          The thread could not be loaded. It will be loaded when the connection is back.
        </Notice>
      </div>
    )
  }
  async function goTo(id: ItemId): Promise<boolean> {
    const isThere = await thread.loadBackTo(id)
    if (isThere) list.current?.show(id)
    return isThere
  }
  function closeSearch() {
    onSearch(false)
    focusThread(document)
  }
  return (
    <>
      {isSearching && (
        <Suspense>
          <ThreadSearch sessionId={session.id} onGo={goTo} onClose={closeSearch} />
        </Suspense>
      )}
      <ThreadList
        ref={list}
        thread={thread}
        loadOlder={thread.loadOlder}
        isIdle={session.state === 'dead' || session.state === 'user_turn'}
        folder={session.cwd}
        sessionId={session.id}
        empty={session.state === 'starting' ? 'The agent is starting…' : 'No messages yet.'}
        onGoToAsk={onGoToAsk}
        onFind={() => onSearch(true)}
      />
    </>
  )
}
