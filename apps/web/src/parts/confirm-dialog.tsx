import { Button } from '@holdpoint/react/ui/button'
import { Dialog, takesFocus } from '@holdpoint/react/ui/dialog'
import type { ReactNode } from 'react'
import { FailureNotice } from './failure-notice.tsx'
import type { Command } from './use-command.ts'

interface ConfirmDialogProps {
  readonly title: string
  /** What is lost. */
  readonly children: ReactNode
  /** The word of the button that changes nothing. It gets the focus. */
  readonly no: string
  /** The word of the button that does it. */
  readonly yes: string
  /** Why it cannot be done any more. */
  readonly whyOff?: string | undefined
  readonly command: Pick<Command, 'busy' | 'failure'>
  onYes(): void
  onClose(): void
}

/** Asks before something is done that takes something away. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, no, yes, whyOff, command, onYes, onClose } = props
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button ref={takesFocus} onClick={onClose}>
            {no}
          </Button>
          <Button variant="deny" off={whyOff !== undefined} why={whyOff} busy={command.busy} onClick={onYes}>
            {yes}
          </Button>
        </>
      }
    >
      <div className="text-sm">{children}</div>
      <FailureNotice why={command.failure} className="mt-3" />
    </Dialog>
  )
}
