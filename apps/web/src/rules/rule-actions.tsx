import type { RuleActionsProps } from '@holdpoint/react/providers/rule-actions'
import { useState } from 'react'
import { Link } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { EndRuleDialog } from './end-rule-dialog.tsx'

const LOOK =
  'inline-flex min-h-11 items-center rounded text-quiet underline decoration-line underline-offset-2 hover:text-ink hover:decoration-current focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-6'

/** From what a rule decided to the rule itself, and a way to end it. */
export function RuleActions({ rules, decided }: RuleActionsProps) {
  const isOwner = useIsOwner()
  const [isEnding, setEnding] = useState(false)
  const [only, ...others] = rules
  return (
    <span className="flex flex-wrap gap-x-3">
      <Link href={`/rules?rule=${rules.join(',')}`} className={LOOK}>
        {rules.length === 1 ? 'See the rule' : `See the ${rules.length} rules`}
      </Link>
      {decided && isOwner && only !== undefined && others.length === 0 && (
        <>
          <button type="button" onClick={() => setEnding(true)} className={LOOK}>
            Remove the rule…
          </button>
          {isEnding && <EndRuleDialog id={only} onClose={() => setEnding(false)} />}
        </>
      )}
    </span>
  )
}
