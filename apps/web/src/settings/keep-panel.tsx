import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Keep, KeepPlace, Retention } from '@holdpoint/schema/endpoints/retention'
import { Archive, Trash2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useRemote } from '../parts/use-remote.ts'
import { count } from '../text/count.ts'
import { KeepDialog } from './keep-dialog.tsx'

/** How long ended sessions stay in the log before they move to the archive. */
export function KeepPanel() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.retention(), [client]))
  const { run, failure } = useCommand()
  const [setting, setSetting] = useState(false)
  return (
    <Panel title="Keep sessions">
      <p className="text-sm text-quiet">
        Ended sessions can move to an archive after some time. Threads and History show them as before, and a session
        that you resume comes back.
      </p>
      <RemoteView remote={remote} again={again}>
        {(retention) => (
          <KeepList retention={retention} onRemove={(place) => void run(client.removeRetention(place)).then(again)} />
        )}
      </RemoteView>
      <FailureNotice why={failure} />
      <div>
        <Button icon={Archive} onClick={() => setSetting(true)}>
          Set how long
        </Button>
      </div>
      {setting && (
        <KeepDialog
          onClose={() => {
            setSetting(false)
            again()
          }}
        />
      )}
    </Panel>
  )
}

function KeepList({ retention, onRemove }: { retention: Retention; onRemove(place: KeepPlace): void }) {
  const { keep, ofGateway } = retention
  const folders = keep.filter(({ project }) => project !== undefined)
  const general = keep.find(({ project }) => project === undefined)
  const byName = (one: Keep, other: Keep) => (one.project ?? '').localeCompare(other.project ?? '')
  return (
    <ul className="divide-y divide-line rounded-lg border border-line">
      {folders.sort(byName).map((each) => (
        <KeepLine key={each.project} keep={each} onRemove={onRemove} />
      ))}
      {general ? (
        <KeepLine keep={general} onRemove={onRemove} />
      ) : (
        <KeepLine
          keep={{ days: ofGateway ?? null }}
          note={ofGateway === undefined ? undefined : 'set when the gateway was started'}
        />
      )}
    </ul>
  )
}

interface KeepLineProps {
  readonly keep: Keep
  readonly note?: string | undefined
  onRemove?(place: KeepPlace): void
}

function KeepLine({ keep: { project, days }, note, onRemove }: KeepLineProps) {
  return (
    <li className="flex min-h-13 items-center gap-3 py-1.5 pr-1.5 pl-3.5">
      <div className="min-w-0 flex-1 text-sm">
        <p>
          {project === undefined ? (
            <span className="font-medium">All folders</span>
          ) : (
            <span className="font-mono text-[13px] wrap-anywhere">
              <VisibleText text={project} code />
            </span>
          )}
        </p>
        <p className="text-[13px] text-quiet">
          {days === null ? 'stay forever' : `move ${count(days, 'day')} after their last change`}
          {note !== undefined && ` · ${note}`}
        </p>
      </div>
      {onRemove && (
        <IconButton
          icon={Trash2}
          label={`Remove the setting for ${project ?? 'all folders'}`}
          onClick={() => onRemove({ ...(project !== undefined && { project }) })}
        />
      )}
    </li>
  )
}
