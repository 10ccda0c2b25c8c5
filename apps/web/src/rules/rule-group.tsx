import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { Link } from 'wouter'
import { count } from '../text/count.ts'
import { RememberedLine } from './remembered-line.tsx'
import type { RuleGroup } from './rule-groups.ts'
import { RuleLine } from './rule-line.tsx'

interface RuleGroupViewProps {
  readonly group: RuleGroup
  /** Of the session, if it is one that is known. */
  readonly title: string | undefined
  readonly uses: PolicyState['uses']
  readonly warnings: PolicyState['warnings']
  onChanged(): void
  onEdit(rule: PolicyRule): void
  onEnd(rule: PolicyRule): void
}

/** The rules of one place under its name. */
export function RuleGroupView({ group, title, uses, warnings, onChanged, onEdit, onEnd }: RuleGroupViewProps) {
  return (
    <section>
      <h2 className="mb-1.5 flex min-w-0 items-baseline gap-2 text-sm font-semibold">
        <GroupName group={group} title={title} />
        <span className="shrink-0 text-xs font-normal text-quiet">{count(group.rules.length, 'rule')}</span>
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
        {group.rules.map((shown) =>
          shown.kind === 'remembered' ? (
            <RememberedLine key={shown.id} rule={shown.rule} onRemoved={onChanged} />
          ) : (
            <RuleLine
              key={shown.id}
              rule={shown.rule}
              use={uses[shown.id]}
              warning={warnings.find(({ rule }) => rule === shown.id)?.text}
              onEdit={() => onEdit(shown.rule)}
              onConfirmRemoval={() => onEnd(shown.rule)}
              onRemoved={onChanged}
            />
          ),
        )}
      </ul>
    </section>
  )
}

function GroupName({ group: { scope, place }, title }: Pick<RuleGroupViewProps, 'group' | 'title'>) {
  switch (scope) {
    case 'everywhere':
      return 'Everywhere'
    case 'project':
      return (
        <span className="min-w-0 truncate">
          Project <VisibleText text={place} code className="font-mono text-[13px] font-normal" />
        </span>
      )
    case 'session':
      return (
        <span className="min-w-0 truncate">
          Session{' '}
          <Link
            href={`/sessions/${place}`}
            className="rounded font-normal underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-accent"
          >
            <VisibleText text={title ?? place} />
          </Link>
        </span>
      )
    default:
      return scope satisfies never
  }
}
