import type { Result } from '@holdpoint/client/gateway-client'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog, takesFocus } from '@holdpoint/react/ui/dialog'
import { type FormEvent, useId, useState } from 'react'
import { Field, INPUT } from './field.tsx'
import { useCommand } from './use-command.ts'

interface RenameDialogProps {
  readonly title: string
  /** What the field is called. */
  readonly label: string
  readonly hint: string
  readonly name: string
  readonly maxLength: number
  rename(name: string): Promise<Result<unknown>>
  onRenamed?(name: string): void
  onClose(): void
}

/** Another name for something. */
export function RenameDialog(props: RenameDialogProps) {
  const { title, label, hint, maxLength, rename, onRenamed, onClose } = props
  const form = useId()
  const [text, setText] = useState(props.name)
  const { run, busy, failure } = useCommand()
  const name = text.trim()
  const why = name === '' ? `It needs a ${label.toLowerCase()}.` : undefined

  async function onSubmit(event: FormEvent) {
    event.preventDefault()
    if (why !== undefined || busy) return
    if (name !== props.name && !(await run(rename(name)))) return
    onRenamed?.(name)
    onClose()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} off={why !== undefined} why={why} busy={busy}>
            Rename
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void onSubmit(event)}>
        <Field label={label} hint={hint} failure={why ?? failure}>
          {(control) => (
            <input
              {...control}
              ref={takesFocus}
              onFocus={(event) => event.target.select()}
              autoComplete="off"
              maxLength={maxLength}
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
