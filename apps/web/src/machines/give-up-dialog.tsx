import { LastHeard } from '@holdpoint/react/cards/last-heard'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { useCommand } from '../parts/use-command.ts'
import { count } from '../text/count.ts'
import { useMachineLoad } from './use-machine-load.ts'

/** Says exactly what giving up does, and what it cannot do. */
export function GiveUpDialog({ machine, onClose }: { machine: KnownMachine; onClose(): void }) {
  const client = useClient()
  const command = useCommand()
  const { sessions, asks } = useMachineLoad(machine)
  return (
    <ConfirmDialog
      title="Give up this machine?"
      no="Keep waiting"
      yes="Give it up"
      whyOff={machine.isReachable ? 'It can be reached again.' : undefined}
      command={command}
      onYes={() => void command.run(client.machines.giveUp(machine.id)).then((done) => done && onClose())}
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        {machine.isReachable ? (
          <p role="status">
            <VisibleText text={machine.name} className="font-semibold" /> can be reached again. There is nothing to give
            up.
          </p>
        ) : (
          <p>
            <VisibleText text={machine.name} className="font-semibold" /> is not reachable.{' '}
            <LastHeard machine={machine} /> If it may come back, wait: its sessions go on then. If you give it up:
          </p>
        )}
        <ul className="flex list-disc flex-col gap-1.5 pl-5">
          <li>{sessions === 1 ? 'Its session ends' : `Its ${count(sessions, 'session')} end`} now.</li>
          <li>
            {asks === 0
              ? 'There are no open asks to withdraw.'
              : `${asks === 1 ? 'The open ask is' : `The ${asks} open asks are`} withdrawn: nobody can answer ${asks === 1 ? 'it' : 'them'} any more.`}
          </li>
          <li>Answers that it has not got yet may never reach its agents.</li>
          <li>
            Its agents <strong>may still be working there</strong>. From here nothing can stop them.
          </li>
          <li>If the machine comes back, they are ended. Their sessions can be resumed then.</li>
        </ul>
      </div>
    </ConfirmDialog>
  )
}
