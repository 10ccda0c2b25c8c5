import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { Dialog } from '@holdpoint/react/ui/dialog'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Takes a machine off the list that is not coming back. */
export function ForgetDialog({ machine, onClose }: { machine: KnownMachine; onClose(): void }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  return (
    <Dialog
      open
      onClose={onClose}
      title="Forget this machine?"
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            variant="deny"
            busy={busy}
            onClick={() => void run(client.machines.forget(machine.id)).then((done) => done && onClose())}
          >
            Forget
          </Button>
        </>
      }
    >
      <p className="text-sm">
        <VisibleText text={machine.name} className="font-semibold" /> is taken off the list. Everything that was
        recorded there stays in the history.
      </p>
      <FailureNotice why={failure} className="mt-3" />
    </Dialog>
  )
}
