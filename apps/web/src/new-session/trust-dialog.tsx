import { Button } from '@holdpoint/react/button'
import { Dialog } from '@holdpoint/react/dialog'
import { VisibleText } from '@holdpoint/react/visible-text'

export interface TrustDialogProps {
  readonly open: boolean
  readonly folder: string
  onClose(): void
  onChoose(trust: boolean): void
}

/** Asked once for each folder, before anything in it can act. */
export function TrustDialog({ open, folder, onClose, onChoose }: TrustDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Trust this folder?"
      footer={
        <>
          <Button onClick={() => onChoose(true)}>Trust and start</Button>
          <Button variant="primary" onClick={() => onChoose(false)}>
            Start without trusting
          </Button>
        </>
      }
    >
      <p className="mb-3 rounded-lg border border-line bg-code px-3 py-2 font-mono text-xs wrap-anywhere">
        <VisibleText text={folder} />
      </p>
      <p className="text-sm">
        Trusting it loads the folder’s own settings, hooks and MCP servers, which can run commands without asking you.
        Without that, the agent works in the folder all the same, with your own settings only.
      </p>
    </Dialog>
  )
}
