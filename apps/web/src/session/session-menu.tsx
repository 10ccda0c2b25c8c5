import { callOf } from '@holdpoint/client/endpoint-call'
import { isArchived, mayBeArchived } from '@holdpoint/core/archiving'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { paths } from '@holdpoint/schema/paths'
import type { Session } from '@holdpoint/schema/session'
import {
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  FileDiff,
  Gauge,
  Info,
  PenLine,
  Power,
  Search,
  Square,
  Trash2,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { useIsOwner, useMayAct } from '../account/me.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Menu, MenuLine, MenuRow } from '../parts/menu.tsx'
import { type Command, useCommand } from '../parts/use-command.ts'
import { useDownload } from '../parts/use-download.ts'
import { RenameSessionDialog } from './rename-session-dialog.tsx'

const DeleteDialog = lazy(() => import('./delete-dialog.tsx').then((part) => ({ default: part.DeleteDialog })))
const SessionDialog = lazy(() => import('./session-dialog.tsx').then((part) => ({ default: part.SessionDialog })))

const BudgetDialog = lazy(() => import('./budget-dialog.tsx').then((part) => ({ default: part.BudgetDialog })))

interface SessionMenuProps {
  readonly session: Session
  readonly canInterrupt: boolean
  /** Of the header, which shows why something was refused. */
  readonly command: Command
  /** Opens the search of its thread. */
  onSearch(): void
}

/** What can be done with a session, beside writing to it. */
export function SessionMenu({ session, canInterrupt, command, onSearch }: SessionMenuProps) {
  const isOwner = useIsOwner()
  const [, navigate] = useLocation()
  const [dialog, setDialog] = useState<'about' | 'rename' | 'usage' | 'end' | 'delete'>()
  const client = useClient()
  const mayAct = useMayAct()
  const onArchive = (isWanted: boolean) => void command.run(client.archiveSession(session.id, isWanted))
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
        {canInterrupt && (
          <MenuRow
            icon={Square}
            label="Interrupt the agent"
            onPick={() => void command.run(client.interrupt(session.id))}
            className="desk:hidden"
          />
        )}
        {mayAct && <MenuRow icon={PenLine} label="Rename…" onPick={() => setDialog('rename')} />}
        {mayAct &&
          (isArchived(session) ? (
            <MenuRow icon={ArchiveRestore} label="Put back into the lists" onPick={() => onArchive(false)} />
          ) : (
            <MenuRow
              icon={Archive}
              label="Archive"
              why={mayBeArchived(session) ? undefined : 'It is at work, or waits for an answer.'}
              onPick={() => onArchive(true)}
            />
          ))}
        {!session.deleted && (
          <>
            <MenuRow icon={Search} label="Search this thread" onPick={onSearch} />
            <MenuRow icon={Download} label="Save as Markdown" onPick={() => save('md')} />
            <MenuRow icon={Download} label="Save as JSON" onPick={() => save('json')} />
            <MenuRow icon={FileDiff} label="Changed files" onPick={() => navigate(`/sessions/${session.id}/changes`)} />
          </>
        )}
        <MenuRow icon={Info} label="About this session" onPick={() => setDialog('about')} />
        {!session.attached && !session.embedded && (
          <MenuRow icon={Gauge} label="Usage and budget" onPick={() => setDialog('usage')} />
        )}
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
        {dialog === 'rename' && <RenameSessionDialog session={session} onClose={close} />}
        {dialog === 'about' && <SessionDialog session={session} onClose={close} />}
        {dialog === 'delete' && <DeleteDialog session={session} onClose={close} />}
        {dialog === 'usage' && <BudgetDialog session={session} onClose={close} />}
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
