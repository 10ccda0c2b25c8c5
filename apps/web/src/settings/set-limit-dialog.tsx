import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import type { AskKind } from '@holdpoint/schema/ask'
import { useState } from 'react'
import { FolderField } from '../new-session/folder-field.tsx'
import { useFolder } from '../new-session/use-folder.ts'
import { Choice } from '../parts/choice.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Field, INPUT } from '../parts/field.tsx'
import { useCommand } from '../parts/use-command.ts'
import { FOREVER, limitOf } from '../time-limits/limit-choice.ts'
import { LimitFields } from '../time-limits/limit-fields.tsx'
import { KIND_WORDS } from '../time-limits/limit-words.ts'

const PLACES = [
  { value: 'all', label: 'All folders' },
  { value: 'one', label: 'One folder' },
] as const

/** Sets one limit; it takes the place of the one for the same asks. */
export function SetLimitDialog({ onClose }: { onClose(): void }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const [place, setPlace] = useState<'all' | 'one'>('all')
  const [typed, setTyped] = useState('')
  const [kind, setKind] = useState<AskKind | ''>('')
  const [choice, setChoice] = useState({ ...FOREVER, time: '300000' })
  const check = useFolder(place === 'one' ? typed : '')
  const limit = limitOf(choice)
  const isReady = limit !== undefined && (place === 'all' || check.state === 'found')

  async function set() {
    if (!isReady) return
    const project = place === 'one' && check.state === 'found' ? { project: check.path } : {}
    const done = await run(client.setTimeLimit({ ...project, ...(kind !== '' && { kind }), ...limit }))
    if (done) onClose()
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Set a limit"
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
        <Choice legend="For" name="limit-place" inline value={place} options={PLACES} onChange={setPlace} />
        {place === 'one' && <FolderField typed={typed} check={check} onChange={setTyped} />}
        <Field label="Asks">
          {(control) => (
            <select
              {...control}
              value={kind}
              onChange={(event) => setKind(event.target.value as AskKind | '')}
              className={INPUT}
            >
              <option value="">All asks</option>
              {Object.entries(KIND_WORDS).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <LimitFields value={choice} onChange={setChoice} />
        <FailureNotice why={failure} />
      </div>
    </Dialog>
  )
}
