import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { TriangleAlert } from 'lucide-react'
import { useIsOwner } from '../account/me.tsx'
import { Notice } from '../parts/notice.tsx'
import { useCommand } from '../parts/use-command.ts'

/** Saved rules that nobody can read. Each may have asked or denied, so every call asks while there is one. */
export function UnreadableRules({ ids, onRemoved }: { ids: readonly string[]; onRemoved: () => void }) {
  return ids.map((id) => <UnreadableRule key={id} id={id} onRemoved={onRemoved} />)
}

function UnreadableRule({ id, onRemoved }: { id: string; onRemoved: () => void }) {
  const client = useClient()
  const isOwner = useIsOwner()
  const { run, busy, failure } = useCommand()
  return (
    <Notice
      tone="wait"
      icon={TriangleAlert}
      action={
        isOwner && (
          <Button
            variant="deny"
            busy={busy}
            onClick={() => void run(client.policy.remove(id)).then((done) => done && onRemoved())}
          >
            Remove
          </Button>
        )
      }
    >
      A saved rule cannot be read: it is damaged, or a newer version of Holdpoint wrote it. Until it is removed, every
      call asks.
      <span className="block font-mono text-xs wrap-anywhere">
        <VisibleText text={id} code />
      </span>
      {failure && <span role="alert">{failure}</span>}
    </Notice>
  )
}
