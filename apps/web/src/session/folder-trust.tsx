import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { FolderTrust as Trust } from '@holdpoint/schema/endpoints/folders'
import type { Session } from '@holdpoint/schema/session'
import { useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { TrustDialog } from '../new-session/trust-dialog.tsx'
import type { Command } from '../parts/use-command.ts'

/** Whether a session's folder is trusted. A person who trusts it first sees what that lets run. */
export function FolderTrust({ session, command: { run, busy } }: { session: Session; command: Command }) {
  const client = useClient()
  const isOwner = useIsOwner()
  const machine = useMachineOf(session)
  const [shown, setShown] = useState<Trust>()

  async function look() {
    const looked = await client.folders(session.cwd, session.node)
    if (looked.ok) setShown(looked.value.trust)
    return looked
  }

  return (
    <>
      <span className="flex-1">{session.trusted ? 'trusted' : 'not trusted'}</span>
      {isOwner && (
        <Button busy={busy} onClick={() => void run(session.trusted ? client.setTrust(session.id, false) : look())}>
          {session.trusted ? 'Stop trusting' : 'Trust…'}
        </Button>
      )}
      <TrustDialog
        open={shown !== undefined}
        folder={session.cwd}
        machine={machine}
        trust={shown}
        starts={false}
        onClose={() => setShown(undefined)}
        onChoose={(trust) => {
          setShown(undefined)
          if (trust) void run(client.setTrust(session.id, true, shown?.digest))
        }}
      />
    </>
  )
}
