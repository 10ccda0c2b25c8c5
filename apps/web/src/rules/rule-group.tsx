import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import type { PolicyState } from '@holdpoint/schema/endpoints/policy'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { useState } from 'react'
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

/** Longer lists are cut after the first rules: on a phone a starter set would bury the rest of the page. */
const MOST_SHOWN = 20
const FIRST_SHOWN = 10

/** The rules of one place under its name. */
export function RuleGroupView({ group, title, uses, warnings, onChanged, onEdit, onEnd }: RuleGroupViewProps) {
  const [isWhole, setWhole] = useState(false)
  const isCut = !isWhole && group.rules.length > MOST_SHOWN
  const shown = isCut ? group.rules.slice(0, FIRST_SHOWN) : group.rules
  return (
    <section>
      <h2 className="mb-1.5 flex min-w-0 items-baseline gap-2 text-sm font-semibold">
        <GroupName group={group} title={title} />
        <span className="shrink-0 text-xs font-normal text-quiet">{count(group.rules.length, 'rule')}</span>
      </h2>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
        {shown.map((each) =>
          each.kind === 'remembered' ? (
            <RememberedLine key={each.id} rule={each.rule} onRemoved={onChanged} />
          ) : (
            <RuleLine
              key={each.id}
              rule={each.rule}
              use={uses[each.id]}
              warning={warnings.find(({ rule }) => rule === each.id)?.text}
              onEdit={() => onEdit(each.rule)}
              onConfirmRemoval={() => onEnd(each.rule)}
              onRemoved={onChanged}
            />
          ),
        )}
      </ul>
      {isCut && (
        <Button className="mt-2" onClick={() => setWhole(true)}>
          Show all {count(group.rules.length, 'rule')}
        </Button>
      )}
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
