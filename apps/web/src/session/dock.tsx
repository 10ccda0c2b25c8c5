import { useAsks } from '@holdpoint/react/use-asks'
import type { Session } from '@holdpoint/schema/session'
import { Pause } from 'lucide-react'
import { useEffect } from 'react'
import { useMayAct } from '../me.tsx'
import { count } from '../text/count.ts'
import { AskDock } from './ask-dock.tsx'
import { EndedBar } from './ended-bar.tsx'
import { MessageBox } from './message-box.tsx'
import { QueueStrip } from './queue-strip.tsx'

export interface DockProps {
  readonly session: Session
  /** The person wants to write though asks wait. */
  readonly isWriting: boolean
  onWriting(isWriting: boolean): void
}

/** The bottom of a session: what waits for the person, or the place to write. */
export function Dock({ session, isWriting, onWriting }: DockProps) {
  const asks = useAsks(session.id)
  const mayAct = useMayAct()
  const isWaiting = asks.length > 0
  // The next ask comes to the front again, whatever was chosen for the last one.
  useEffect(() => {
    if (!isWaiting) onWriting(false)
  }, [isWaiting, onWriting])

  if (session.state === 'dead') return <EndedBar session={session} />
  const showsAsks = isWaiting && !isWriting
  return (
    <section
      aria-label={showsAsks ? 'Waiting for you' : 'Write to the agent'}
      className={`shrink-0 border-t pb-[env(safe-area-inset-bottom)] ${showsAsks ? 'border-wait-line bg-wait-bg/40' : 'border-line bg-bg'}`}
    >
      <div className="mx-auto w-full max-w-3xl px-3 sm:px-4">
        <QueueStrip sessionId={session.id} />
        {isWaiting && isWriting && (
          <button
            type="button"
            onClick={() => onWriting(false)}
            className="mt-2 flex min-h-11 w-full items-center gap-2 rounded-lg border border-wait-line bg-wait-bg px-3 text-sm font-medium text-wait focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9"
          >
            <Pause aria-hidden className="size-4" />
            {count(asks.length, 'ask')} waiting: back to {asks.length === 1 ? 'it' : 'them'}
          </button>
        )}
      </div>
      <AskDock asks={asks} hidden={!showsAsks} {...(mayAct && { onWrite: () => onWriting(true) })} />
      {!showsAsks && mayAct && <MessageBox session={session} />}
    </section>
  )
}
