import { callOf } from '@holdpoint/client/endpoint-call'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import { Download, Ellipsis, Info, Power, Search, Square, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Menu, MenuLine, MenuRow } from '../parts/menu.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useDownload } from '../parts/use-download.ts'

const DeleteDialog = lazy(() => import('./delete-dialog.tsx').then((part) => ({ default: part.DeleteDialog })))
const SessionDialog = lazy(() => import('./session-dialog.tsx').then((part) => ({ default: part.SessionDialog })))

interface SessionMenuProps {
  readonly session: Session
  /** Interrupts the agent. Left out where there is nothing to interrupt. */
  readonly interrupt: (() => void) | undefined
  /** Opens the search of its thread. */
  onSearch(): void
}

/** What can be done with a session, beside writing to it. */
export function SessionMenu({ session, interrupt, onSearch }: SessionMenuProps) {
  const isOwner = useIsOwner()
  const [dialog, setDialog] = useState<'about' | 'end' | 'delete'>()
  const close = () => setDialog(undefined)
  const { download, hasFailed } = useDownload()
  const save = (format: 'md' | 'json') =>
    void download(callOf(paths.sessions.export, { params: { id: session.id }, query: { format } }).path)
  // A program in somebody's own terminal is ended there.
  const mayEnd = isOwner && session.state !== 'dead' && !session.attached
  const mayDelete = isOwner && session.state === 'dead' && !session.deleted
  return (
    <>
      <Menu icon={Ellipsis} label="Session menu">
        {interrupt && <MenuRow icon={Square} label="Interrupt the agent" onPick={interrupt} className="desk:hidden" />}
        {!session.deleted && (
          <>
            <MenuRow icon={Search} label="Search this thread" onPick={onSearch} />
            <MenuRow icon={Download} label="Save as Markdown" onPick={() => save('md')} />
            <MenuRow icon={Download} label="Save as JSON" onPick={() => save('json')} />
          </>
        )}
        <MenuRow icon={Info} label="About this session" onPick={() => setDialog('about')} />
        {mayEnd && (
          <>
            <MenuLine />
            <MenuRow icon={Power} label="End session…" tone="deny" onPick={() => setDialog('end')} />
          </>
        )}
        {mayDelete && (
          <>
            <MenuLine />
            <MenuRow icon={Trash2} label="Delete session…" tone="deny" onPick={() => setDialog('delete')} />
          </>
        )}
      </Menu>
      {hasFailed && (
        <p role="alert" className="text-[13px] text-deny">
          Not saved. Try again.
        </p>
      )}
      <Suspense>
        {dialog === 'about' && <SessionDialog session={session} onClose={close} />}
        {dialog === 'delete' && <DeleteDialog session={session} onClose={close} />}
        {dialog === 'end' && <EndDialog session={session} onClose={close} />}
      </Suspense>
    </>
  )
}

function EndDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const client = useClient()
  const command = useCommand()
  return (
    <ConfirmDialog
      title="End this session?"
      no="Keep it"
      yes="End it"
      command={command}
      onYes={() => void command.run(client.endSession(session.id)).then((done) => done && onClose())}
      onClose={onClose}
    >
      The agent stops at once, and its open asks are withdrawn. The session can be resumed later.
    </ConfirmDialog>
  )
}
