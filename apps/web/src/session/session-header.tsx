import { render } from '@holdpoint/core/text/visible-text'
import { Button } from '@holdpoint/react/button'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { IconButton } from '@holdpoint/react/icon-button'
import { StatusDot, statusOf, statusWords } from '@holdpoint/react/session-status'
import { VisibleText } from '@holdpoint/react/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { ArrowLeft, Ellipsis, Square } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useIsOwner, useMayAct } from '../me.tsx'
import { Heading } from '../parts/page.tsx'
import { AtItsTerminal } from '../terminal/at-its-terminal.tsx'
import { hasTerminal } from '../terminal/session-terminal.ts'
import { projectName } from '../text/project-name.ts'
import { ModeSelect } from './mode-select.tsx'
import { SessionDialog } from './session-dialog.tsx'
import { useCommand } from './use-command.ts'

export function SessionHeader({ session }: { session: Session }) {
  const client = useClient()
  const interrupting = useCommand()
  const [detailsOpen, setDetailsOpen] = useState(false)
  const isOwner = useIsOwner()
  const mayAct = useMayAct()
  const status = statusOf(session)
  const canStop = mayAct && !session.attached && (status === 'working' || status === 'waiting')
  return (
    <header className="shrink-0 border-b border-line bg-bg pt-[env(safe-area-inset-top)]">
      <div className="flex min-h-14 items-center gap-2 px-2 desk:min-h-15 desk:px-6">
        <Link
          href="/"
          aria-label="Back to the inbox"
          className="flex size-11 shrink-0 items-center justify-center rounded-lg text-quiet focus-visible:outline-2 focus-visible:outline-accent desk:hidden"
        >
          <ArrowLeft aria-hidden className="size-5" />
        </Link>
        <div className="min-w-0 flex-1">
          <Heading className="truncate text-base! leading-tight desk:text-lg!">
            <VisibleText text={session.title} />
          </Heading>
          <p className="mt-0.5 flex min-w-0 items-center gap-1.5 text-xs text-quiet">
            <StatusDot status={status} />
            <span className={`shrink-0 ${status === 'waiting' ? 'font-medium text-wait' : ''}`}>
              {statusWords(status)}
            </span>
            <span aria-hidden>·</span>
            <span className="min-w-0 truncate" title={render(session.cwd)}>
              <VisibleText text={projectName(session)} code />
            </span>
            {session.attached && (
              <>
                <span aria-hidden>·</span>
                <span className="shrink-0">
                  <AtItsTerminal />
                </span>
              </>
            )}
          </p>
        </div>
        {isOwner && session.state !== 'dead' && !session.attached && !hasTerminal(session) && (
          <div className="hidden desk:block">
            <ModeSelect session={session} />
          </div>
        )}
        {canStop && (
          <span className="hidden desk:block">
            <Button
              icon={Square}
              busy={interrupting.busy}
              onClick={() => void interrupting.run(client.interrupt(session.id))}
            >
              Interrupt
            </Button>
          </span>
        )}
        <IconButton icon={Ellipsis} label="About this session" onClick={() => setDetailsOpen(true)} />
      </div>
      {interrupting.failure && (
        <p role="alert" className="px-6 pb-2 text-sm text-deny">
          {interrupting.failure}
        </p>
      )}
      <SessionDialog session={session} open={detailsOpen} onClose={() => setDetailsOpen(false)} />
    </header>
  )
}
