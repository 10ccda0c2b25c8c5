import { isArchived } from '@holdpoint/core/archiving'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { Session } from '@holdpoint/schema/session'
import { Archive } from 'lucide-react'
import { useMayAct } from '../account/me.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Says of an archived session where it went, and what brings it back. */
export function ArchivedBar({ session }: { session: Session }) {
  const client = useClient()
  const mayAct = useMayAct()
  const { run, busy, failure } = useCommand()
  if (!isArchived(session)) return null
  return (
    <div className="shrink-0 border-b border-line bg-panel py-2 text-quiet">
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-3 gap-y-1 px-4 text-sm">
        <Archive aria-hidden className="size-4.5 shrink-0" />
        <p role="status" className="min-w-0 flex-1 basis-60">
          <strong className="font-semibold">Archived.</strong> It is out of the lists until it asks something, gets a
          message or works again. Nothing of it is deleted.
        </p>
        {mayAct && (
          <Button busy={busy} onClick={() => void run(client.archiveSession(session.id, false))}>
            Put it back
          </Button>
        )}
        {failure !== undefined && (
          <p role="alert" className="basis-full text-deny">
            {failure}
          </p>
        )}
      </div>
    </div>
  )
}
