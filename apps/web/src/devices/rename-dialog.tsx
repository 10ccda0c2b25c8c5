import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog, takesFocus } from '@holdpoint/react/ui/dialog'
import type { Device } from '@holdpoint/schema/device'
import { type FormEvent, useId, useState } from 'react'
import { Field, INPUT } from '../parts/field.tsx'
import { useCommand } from '../parts/use-command.ts'

interface RenameDialogProps {
  readonly device: Device
  onRenamed(name: string): void
  onClose(): void
}

/** Another name for a device, in the list and beside every answer that it gives from now on. */
export function RenameDialog({ device, onRenamed, onClose }: RenameDialogProps) {
  const client = useClient()
  const form = useId()
  const [text, setText] = useState(device.name)
  const { run, busy, failure } = useCommand()
  const name = text.trim()
  const why = name === '' ? 'It needs a name.' : undefined

  async function rename(event: FormEvent) {
    event.preventDefault()
    if (why !== undefined || busy) return
    if (name !== device.name && !(await run(client.renameDevice(device.id, name)))) return
    onRenamed(name)
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Rename this device"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} off={why !== undefined} why={why} busy={busy}>
            Rename
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void rename(event)}>
        <Field
          label="Name"
          hint="It is shown beside every answer that the device gives. Earlier answers keep the old name."
          failure={why ?? failure}
        >
          {(control) => (
            <input
              {...control}
              ref={takesFocus}
              onFocus={(event) => event.target.select()}
              autoComplete="off"
              maxLength={120}
              value={text}
              onChange={(event) => setText(event.target.value)}
              className={INPUT}
            />
          )}
        </Field>
      </form>
    </Dialog>
  )
}
