import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Notifications } from '@holdpoint/schema/endpoints/notifications'
import type { Escalation } from '@holdpoint/schema/notification'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RemoteView } from '../../parts/remote-view.tsx'
import { useCommand } from '../../parts/use-command.ts'
import { count } from '../../text/count.ts'
import type { NotificationsProps } from './device-notifications-panel.tsx'
import { EscalationDialog, type Receiver } from './escalation-dialog.tsx'

/** For owners: whom to tell when nobody has seen an ask for a while. */
export function EscalationsPanel({ remote, again }: NotificationsProps) {
  return (
    <Panel title="When nobody looks">
      <p className="text-sm text-quiet">
        If nobody has seen an ask for some minutes, other devices or channels are told as well, whatever else they have
        chosen.
      </p>
      <RemoteView remote={remote} again={again}>
        {(known) => <Escalations known={known} again={again} />}
      </RemoteView>
    </Panel>
  )
}

function Escalations({ known, again }: { known: Notifications; again(): void }) {
  const client = useClient()
  const { run, failure, clear } = useCommand()
  const [editing, setEditing] = useState<number>()
  const open = (at: number | undefined) => {
    clear()
    setEditing(at)
  }
  const escalations = known.escalations ?? []
  const receivers: readonly Receiver[] = [
    ...(known.devices ?? []).map(({ deviceId, name }) => ({ id: deviceId, name })),
    ...(known.channels ?? []).map(({ id, name }) => ({ id, name })),
  ]
  const save = async (next: readonly Escalation[]) => {
    const isSaved = await run(client.notifications.setEscalations(next))
    if (isSaved) again()
    return isSaved
  }
  return (
    <>
      {escalations.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {escalations.map((escalation, at) => (
            <li key={at} className="flex items-start gap-1 px-3.5 py-3">
              <EscalationWords escalation={escalation} receivers={receivers} />
              <IconButton icon={Pencil} label={`Edit escalation ${at + 1}`} onClick={() => open(at)} />
              <IconButton
                icon={Trash2}
                label={`Remove escalation ${at + 1}`}
                onClick={() => void save(escalations.filter((_, index) => index !== at))}
              />
            </li>
          ))}
        </ul>
      )}
      {editing === undefined && <FailureNotice why={failure} />}
      {receivers.length === 0 ? (
        <p className="text-sm">First switch notifications on for a device, or add a channel.</p>
      ) : (
        <div>
          <Button icon={Plus} onClick={() => open(escalations.length)}>
            Add an escalation
          </Button>
        </div>
      )}
      {editing !== undefined && (
        <EscalationDialog
          escalation={escalations[editing]}
          receivers={receivers}
          projects={known.projects}
          failure={failure}
          onClose={() => open(undefined)}
          onSave={async (made) => {
            const next = escalations.map((each, at) => (at === editing ? made : each))
            if (await save(editing < escalations.length ? next : [...next, made])) setEditing(undefined)
          }}
        />
      )}
    </>
  )
}

function EscalationWords({ escalation, receivers }: { escalation: Escalation; receivers: readonly Receiver[] }) {
  const { afterMinutes, to, projects, inQuietHours } = escalation
  const names = to.map((id) => receivers.find((receiver) => receiver.id === id)?.name ?? 'somebody who is gone')
  return (
    <div className="min-w-0 flex-1 text-[13px] text-quiet">
      <p className="text-sm text-ink wrap-anywhere">
        After {count(afterMinutes, 'minute')}: <VisibleText text={names.join(', ')} />
      </p>
      <p>
        {inQuietHours ? 'also in quiet hours' : 'not in quiet hours'}
        {projects && `, in ${count(projects.length, 'project')}`}
      </p>
    </div>
  )
}
