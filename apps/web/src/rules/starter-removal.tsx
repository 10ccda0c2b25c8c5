import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import { useState } from 'react'
import { useIsOwner } from '../account/me.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Notice } from '../parts/notice.tsx'
import { useCommand } from '../parts/use-command.ts'
import { count } from '../text/count.ts'

interface StarterRemovalProps {
  readonly policy: PolicyState
  /** They were added a moment ago, on this page. */
  readonly isNew: boolean
  onRemoved(): void
  /** They are not what was shown any more. */
  onStale(): void
}

/** Takes back the rules of the starter set that nobody has edited. */
export function StarterRemoval({ policy: { rules, fromStarter }, isNew, onRemoved, onStale }: StarterRemovalProps) {
  const isOwner = useIsOwner()
  const [shown, setShown] = useState<Pick<PolicyState, 'rules' | 'fromStarter'>>()
  if (fromStarter.length === 0) return null
  const number = count(fromStarter.length, 'rule')
  return (
    <>
      <Notice
        role="status"
        action={isOwner && <Button onClick={() => setShown({ rules, fromStarter })}>Remove the starter set</Button>}
      >
        {isNew ? `The starter set was added: ${number}.` : `${number} came from the starter set, unchanged.`}
      </Notice>
      {shown && (
        <RemovalDialog {...shown} onRemoved={onRemoved} onStale={onStale} onClose={() => setShown(undefined)} />
      )}
    </>
  )
}

interface RemovalDialogProps
  extends Pick<PolicyState, 'rules' | 'fromStarter'>,
    Pick<StarterRemovalProps, 'onRemoved' | 'onStale'> {
  onClose(): void
}

/** Removes what it has counted, or nothing. */
function RemovalDialog({ rules, fromStarter, onRemoved, onStale, onClose }: RemovalDialogProps) {
  const client = useClient()
  const command = useCommand()
  const ids = new Set(fromStarter)
  const asking = rules.filter(({ id, effect }) => ids.has(id) && effect === 'ask').length
  const allowing = fromStarter.length - asking
  function remove() {
    void command.run(client.policy.removeStarter(fromStarter)).then((done) => {
      if (!done) return onStale()
      onClose()
      onRemoved()
    })
  }
  return (
    <ConfirmDialog
      title="Remove the starter set?"
      no="Keep it"
      yes={`Remove ${count(fromStarter.length, 'rule')}`}
      command={command}
      onYes={remove}
      onClose={onClose}
    >
      <div className="flex flex-col gap-2">
        {allowing > 0 && <p>{count(allowing, 'rule')} that allow: without them, such calls ask again.</p>}
        {asking > 0 && <p>{count(asking, 'rule')} that ask: without them, such calls may run without asking you.</p>}
        <p className="text-quiet">Rules that you have edited stay, and so do all others.</p>
      </div>
    </ConfirmDialog>
  )
}
