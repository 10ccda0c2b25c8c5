import { PROGRAM_AGENT } from '@holdpoint/core/program-agent'
import { useAsks } from '@holdpoint/react/hooks/use-asks'
import type { Ask } from '@holdpoint/schema/ask'
import type { Session } from '@holdpoint/schema/session'
import { Pause } from 'lucide-react'
import { type Ref, useCallback, useImperativeHandle, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useMayAct } from '../account/me.tsx'
import { openCard } from '../parts/open-card.ts'
import { useKeepFocus } from '../parts/use-keep-focus.ts'
import { hasTerminal } from '../terminal/session-terminal.ts'
import { count } from '../text/count.ts'
import { AskDock } from './ask-dock.tsx'
import { EndedBar } from './ended-bar.tsx'
import { MessageBox } from './message-box.tsx'
import { QueueStrip } from './queue-strip.tsx'
import { useMessage } from './use-message.ts'

export interface DockHandle {
  /** Takes files for the next message. Left out where nobody can write. */
  readonly attach?: (files: Iterable<File>) => void
  /** Shows the ask that waits and gives it the focus. Only for a press of the person's own. */
  showAsk(): void
}

/** The bottom of a session: what waits for the person, or the place to write. */
export function Dock({ session, isDamaged, ref }: { session: Session; isDamaged: boolean; ref: Ref<DockHandle> }) {
  const dock = useRef<HTMLDivElement>(null)
  const asks = useAsks(session.id)
  // An embedded agent takes messages from people only if its program allows it, and a terminal takes keys.
  const isProgramAlone = session.embedded === true && session.takesMessages !== true
  const mayWrite = useMayAct() && !isProgramAlone && !session.attached && !hasTerminal(session)
  const message = useMessage(session.id)
  const [isFocused, setIsFocused] = useState(false)
  const [isWriting, setIsWriting] = useState(false)
  const isWaiting = asks.length > 0
  const [wasWaiting, setWasWaiting] = useState(isWaiting)
  // An ask comes to the front, but never while the person is typing: letters meant for the agent would decide.
  const isInHand = isFocused || !message.isEmpty || message.failure !== undefined
  const [isSending, setIsSending] = useState(false)
  const [current, setCurrent] = useState<Ask>()
  if (isWaiting !== wasWaiting) {
    setWasWaiting(isWaiting)
    setIsWriting(isWaiting && (isInHand || message.busy))
    setIsSending(isWaiting && message.busy)
  }
  // It may come before the reply to the message that led to it.
  if (isSending && !message.busy) {
    setIsSending(false)
    setIsWriting(isInHand)
  }
  const showAsk = useCallback(() => {
    // The card has to be there before it can have the focus.
    flushSync(() => setIsWriting(false))
    if (dock.current) openCard(dock.current)?.focus()
  }, [])
  const write = useCallback(() => {
    flushSync(() => setIsWriting(true))
    dock.current?.querySelector<HTMLElement>('form textarea')?.focus()
  }, [])
  const canWrite = mayWrite && session.state !== 'dead'
  const attach = (files: Iterable<File>) => {
    message.attachments.add(files)
    write()
  }
  useImperativeHandle(ref, () => ({ showAsk, ...(canWrite && { attach }) }))
  useKeepFocus(dock)

  const showsAsks = isWaiting && !(isWriting && mayWrite)
  return (
    <div ref={dock} tabIndex={-1} className="shrink-0 outline-none">
      {session.state === 'dead' ? (
        <EndedBar session={session} isDamaged={isDamaged} />
      ) : (
        <section
          aria-label={showsAsks ? 'Needs answer' : mayWrite ? 'Write to the agent' : 'The agent'}
          className={`border-t pb-[env(safe-area-inset-bottom)] ${showsAsks ? 'border-wait-line bg-wait-bg/40' : 'border-line bg-bg'}`}
        >
          <div className="mx-auto w-full max-w-3xl px-3 sm:px-4">
            <QueueStrip session={session} />
            {isWaiting && !showsAsks && (
              <button
                type="button"
                onClick={showAsk}
                className="mt-2 flex min-h-11 w-full items-center gap-2 rounded-lg border border-wait-line bg-wait-bg px-3 text-sm font-medium text-wait focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-9"
              >
                <Pause aria-hidden className="size-4" />
                {count(asks.length, 'ask')}{' '}
                {asks.length === 1 ? 'needs an answer: show it' : 'need an answer: show them'}
              </button>
            )}
          </div>
          <AskDock asks={asks} hidden={!showsAsks} onWrite={mayWrite ? write : undefined} onCurrent={setCurrent} />
          {mayWrite && (
            <MessageBox session={session} message={message} ask={current} hidden={showsAsks} onFocus={setIsFocused} />
          )}
          {isProgramAlone && !showsAsks && (
            <p className="mx-auto w-full max-w-3xl px-3 py-3 text-sm text-quiet sm:px-4">
              {session.agent === PROGRAM_AGENT
                ? 'This is a program that asks people. It takes no messages; you can answer its asks here.'
                : 'This agent runs inside another program, and only that program can write to it. You can answer its asks here.'}
            </p>
          )}
          {session.attached && !showsAsks && (
            <p className="mx-auto w-full max-w-3xl px-3 py-3 text-sm text-quiet sm:px-4">
              This agent runs in a terminal: write to it there. You can answer its asks here or there; the first answer
              counts.
            </p>
          )}
        </section>
      )}
    </div>
  )
}
