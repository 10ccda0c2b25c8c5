import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { RetentionPreview } from '@holdpoint/schema/endpoints/retention'
import { useCallback, useState } from 'react'
import { FolderField } from '../new-session/folder-field.tsx'
import { useFolder } from '../new-session/use-folder.ts'
import { Choice } from '../parts/choice.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Field, INPUT } from '../parts/field.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useCommand } from '../parts/use-command.ts'
import { useRemote } from '../parts/use-remote.ts'
import { count } from '../text/count.ts'

const PLACES = [
  { value: 'all', label: 'All folders' },
  { value: 'one', label: 'One folder' },
] as const
const TIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '180', label: '180 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never: they stay' },
] as const
type Time = (typeof TIMES)[number]['value']

/** Sets for how long sessions stay, and says before what that would move. */
export function KeepDialog({ onClose }: { onClose(): void }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const [place, setPlace] = useState<'all' | 'one'>('all')
  const [typed, setTyped] = useState('')
  const [time, setTime] = useState<Time>('90')
  const check = useFolder(place === 'one' ? typed : '')
  const folder = place === 'one' && check.state === 'found' ? check.path : undefined
  const isReady = place === 'all' || folder !== undefined
  const project = folder === undefined ? {} : { project: folder }
  const days = time === '' ? null : Number(time)

  async function set() {
    if (isReady && (await run(client.setRetention({ ...project, days })))) onClose()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="How long sessions stay"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" off={!isReady} busy={busy} onClick={() => void set()}>
            Set
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Choice legend="For" name="keep-place" inline value={place} options={PLACES} onChange={setPlace} />
        {place === 'one' && <FolderField typed={typed} check={check} onChange={setTyped} />}
        <Field label="Ended sessions move to the archive after">
          {(control) => (
            <select
              {...control}
              value={time}
              onChange={(event) => setTime(event.target.value as Time)}
              className={INPUT}
            >
              {TIMES.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {isReady && days !== null && <Preview key={`${days} ${folder}`} days={days} folder={folder} />}
        <FailureNotice why={failure} />
      </div>
    </Dialog>
  )
}

function Preview({ days, folder }: { days: number; folder: string | undefined }) {
  const client = useClient()
  const { remote, again } = useRemote(
    useCallback(
      () => client.retentionPreview({ days, ...(folder !== undefined && { project: folder }) }),
      [client, days, folder],
    ),
  )
  return (
    <div role="status" className="rounded-lg border border-line bg-panel px-3.5 py-2.5 text-sm">
      <RemoteView remote={remote} again={again}>
        {(preview) => (
          <p>
            {preview.sessions === 0
              ? 'Nothing would move now.'
              : `Now this would move ${count(preview.sessions, 'session')}${preview.more ? ' and more' : ''}, about ${sizeWords(preview)}.`}{' '}
            <span className="text-quiet">Sessions that run, or in which something is still open, always stay.</span>
          </p>
        )}
      </RemoteView>
    </div>
  )
}

function sizeWords({ bytes }: RetentionPreview): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} KB`
  return bytes < 1_000_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`
}
