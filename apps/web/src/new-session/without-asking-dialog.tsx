import { MachineName } from '@holdpoint/react/cards/machine-name'
import type { KnownMachine } from '@holdpoint/react/machines/machine-of'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import type { Command } from '../parts/use-command.ts'

export interface WithoutAskingDialogProps {
  readonly folder: string | undefined
  /** Where it is, where there are several machines. */
  readonly machine?: KnownMachine | undefined
  readonly command: Pick<Command, 'busy' | 'failure'>
  onYes(): void
  onClose(): void
}

/** Asked before a session goes into the mode in which nothing asks. */
export function WithoutAskingDialog({ folder, machine, command, onYes, onClose }: WithoutAskingDialogProps) {
  return (
    <ConfirmDialog
      title="Run without asking?"
      no="Cancel"
      yes="Run without asking"
      command={command}
      onYes={onYes}
      onClose={onClose}
    >
      {folder !== undefined && (
        <p className="mb-3 rounded-lg border border-line bg-code px-3 py-2 font-mono text-xs wrap-anywhere">
          <VisibleText text={folder} code />
          {machine && <MachineName machine={machine} className="mt-1 flex font-sans text-quiet" />}
        </p>
      )}
      <p>
        The agent runs every command and changes every file that it wants to, in this folder and outside of it, with
        your rights and your network. You are not asked, and what it has done cannot be taken back.
      </p>
      <p className="mt-2">
        Only your rules still hold: what they deny does not run, and what they ask about waits for you.
      </p>
    </ConfirmDialog>
  )
}
