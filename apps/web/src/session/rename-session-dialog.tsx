import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import type { Session } from '@holdpoint/schema/session'
import { RenameDialog } from '../parts/rename-dialog.tsx'

export function RenameSessionDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const client = useClient()
  return (
    <RenameDialog
      title="Rename this session"
      label="Title"
      hint="Everybody who sees the session sees its title. The agent no longer changes it."
      name={session.title}
      maxLength={256}
      rename={(title) => client.renameSession(session.id, title)}
      onClose={onClose}
    />
  )
}
