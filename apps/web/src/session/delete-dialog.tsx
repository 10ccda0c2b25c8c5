import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Session } from '@holdpoint/schema/session'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Says exactly what goes, and what stays, before a session is deleted. */
export function DeleteDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const client = useClient()
  const command = useCommand()
  return (
    <ConfirmDialog
      title="Delete this session?"
      no="Keep it"
      yes="Delete it"
      command={command}
      onYes={() => void command.run(client.deleteSession(session.id)).then((done) => done && onClose())}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <p className="font-semibold wrap-anywhere">
          <VisibleText text={session.title} />
        </p>
        <p>
          <strong className="font-semibold">Goes, for good:</strong> what was said and asked in it, its asks in History,
          its files and screens, its part of the archive.
        </p>
        <p>
          <strong className="font-semibold">Stays:</strong> that it was there, its folder and times, who deleted it, and
          the hashes of its events, so that the record can still be verified.
        </p>
        <p className="text-quiet">
          Not touched: backups, exports, messages that notifications have sent, and what the agent keeps of the
          conversation itself.
        </p>
      </div>
    </ConfirmDialog>
  )
}
