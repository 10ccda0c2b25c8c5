import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Chip } from '@holdpoint/react/ui/chip'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { ListedRule } from '@holdpoint/schema/rule'
import { Trash2 } from 'lucide-react'
import { useIsOwner } from '../account/me.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { useCommand } from '../parts/use-command.ts'

/** An answer that a session remembers, for exactly the same call. */
export function RememberedLine({ rule, onRemoved }: { rule: ListedRule; onRemoved: () => void }) {
  const client = useClient()
  const isOwner = useIsOwner()
  const { run, busy, failure } = useCommand()
  return (
    <li className="flex items-start gap-3 py-2.5 pr-2 pl-4">
      <div className="w-12 shrink-0 pt-px">
        <Chip tone={rule.ended === undefined ? 'allow' : 'plain'}>Allow</Chip>
      </div>
      <div className="min-w-0 flex-1">
        <p
          className={`font-mono text-[13px] wrap-anywhere ${rule.ended === undefined ? '' : 'text-quiet line-through decoration-quiet'}`}
        >
          <VisibleText text={rule.rule} code />
        </p>
        <p className="text-xs text-quiet">
          exactly this call, until the session ends · remembered
          {rule.by && (
            <>
              {' '}
              by <VisibleText text={rule.by.name} />,
            </>
          )}{' '}
          <Age since={rule.at} suffix=" ago" />
        </p>
        {rule.ended !== undefined && (
          <p className="text-xs text-wait">
            Ended: <VisibleText text={rule.ended} />
          </p>
        )}
        <FailureNotice why={failure} />
      </div>
      {isOwner && (
        <IconButton
          icon={Trash2}
          label="Remove this remembered answer"
          off={busy}
          onClick={() => void run(client.removeRule(rule.id)).then((done) => done && onRemoved())}
        />
      )}
    </li>
  )
}
