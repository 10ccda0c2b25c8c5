import { render } from '@holdpoint/core/text/visible-text'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Chip } from '@holdpoint/react/ui/chip'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { PolicyRule, RuleUse } from '@holdpoint/schema/policy'
import { Pencil, Trash2 } from 'lucide-react'
import { useIsOwner } from '../account/me.tsx'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { useCommand } from '../parts/use-command.ts'
import { RuleWarning } from './file-rule-line.tsx'
import { OwnTests } from './own-tests.tsx'
import { RuleFacts } from './rule-facts.tsx'
import { EFFECTS } from './rule-words.ts'

interface RuleLineProps {
  readonly rule: PolicyRule
  readonly use: RuleUse | undefined
  readonly warning: string | undefined
  onEdit(): void
  /** Of one that asks or denies: without it more runs, so somebody confirms that first. */
  onConfirmRemoval(): void
  onRemoved(): void
}

/** A rule of the policy, with all that is known of it. */
export function RuleLine({ rule, use, warning, onEdit, onConfirmRemoval, onRemoved }: RuleLineProps) {
  const client = useClient()
  const isOwner = useIsOwner()
  const { run, busy, failure } = useCommand()
  const { label, tone } = EFFECTS[rule.effect]
  const name = render(rule.pattern)
  function remove() {
    if (rule.effect === 'allow') void run(client.policy.remove(rule.id)).then((done) => done && onRemoved())
    else onConfirmRemoval()
  }
  return (
    <li className="flex items-start gap-3 py-2.5 pr-2 pl-4">
      <div className="w-12 shrink-0 pt-px">
        <Chip tone={tone}>{label}</Chip>
      </div>
      <div className="min-w-0 flex-1">
        <p className="font-mono text-[13px] wrap-anywhere">
          <VisibleText text={rule.pattern} code />
        </p>
        {rule.why !== undefined && (
          <p className="text-[13px] text-quiet wrap-anywhere">
            <VisibleText text={rule.why} multiline />
          </p>
        )}
        {rule.pins?.map(({ path }) => (
          <p key={path} className="text-xs text-quiet wrap-anywhere">
            only while <VisibleText text={path} code className="font-mono" /> is unchanged
          </p>
        ))}
        <RuleFacts rule={rule} use={use} />
        {warning !== undefined && <RuleWarning text={warning} />}
        <OwnTests {...rule} />
        <FailureNotice why={failure} />
      </div>
      {isOwner && (
        <div className="flex shrink-0">
          <IconButton icon={Pencil} label={`Edit ${name}`} onClick={onEdit} />
          <IconButton icon={Trash2} label={`Remove ${name}`} off={busy} onClick={remove} />
        </div>
      )}
    </li>
  )
}
