import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import { type FormEvent, useState } from 'react'
import { INPUT } from '../parts/field.tsx'
import { useCommand } from '../parts/use-command.ts'
import { machineName } from './machine-words.ts'

const LONGEST = 80

/** Another name, written where the old one stood. */
export function RenameForm({ machine, onClose }: { machine: KnownMachine; onClose(): void }) {
  const client = useClient()
  const [text, setText] = useState(machine.name)
  const { run, busy, failure } = useCommand()
  const name = text.trim()

  async function rename(event: FormEvent) {
    event.preventDefault()
    if (name === '' || busy) return
    if (name === machine.name || (await run(client.machines.change(machine.id, { name })))) onClose()
  }
  return (
    <form
      onSubmit={(event) => void rename(event)}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="flex flex-wrap items-center gap-2"
    >
      <input
        aria-label={`New name of ${machineName(machine)}`}
        // biome-ignore lint/a11y/noAutofocus: the person asked for this field with the press before.
        autoFocus
        onFocus={(event) => event.target.select()}
        autoComplete="off"
        maxLength={LONGEST}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${INPUT} flex-1 basis-full sm:basis-40`}
      />
      <Button type="submit" variant="primary" off={name === ''} why="It needs a name." busy={busy}>
        Rename
      </Button>
      <Button variant="quiet" onClick={onClose}>
        Cancel
      </Button>
      {failure !== undefined && (
        <p role="alert" className="basis-full text-[13px] text-deny">
          {failure}
        </p>
      )}
    </form>
  )
}
