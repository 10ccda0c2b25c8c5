import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Takes a machine off the list that is not coming back. */
export function ForgetDialog({ machine, onClose }: { machine: KnownMachine; onClose(): void }) {
  const client = useClient()
  const command = useCommand()
  return (
    <ConfirmDialog
      title="Forget this machine?"
      no="Keep it"
      yes="Forget"
      command={command}
      onYes={() => void command.run(client.machines.forget(machine.id)).then((done) => done && onClose())}
      onClose={onClose}
    >
      <VisibleText text={machine.name} className="font-semibold" /> is taken off the list. Everything that was recorded
      there stays in the history.
    </ConfirmDialog>
  )
}
