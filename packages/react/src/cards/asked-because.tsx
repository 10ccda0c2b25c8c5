import type { Ask } from '@holdpoint/schema/ask'
import { RuleActions } from '../providers/rule-actions.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { FactLine } from './agent-says.tsx'
import { ReasonText } from './reason-text.tsx'

/** Why the policy left it to a person. A long command in it is cut: all of it stands above. */
export function AskedBecause({ reason, rule, why }: NonNullable<Ask['askedBecause']>) {
  return (
    <>
      <FactLine name="asked because">
        <span className="line-clamp-3 text-quiet">
          <ReasonText text={reason} />
        </span>
        {rule !== undefined && <RuleActions rules={[rule]} decided={false} />}
      </FactLine>
      {why !== undefined && (
        <FactLine name="the rule says">
          <VisibleText text={why} />
        </FactLine>
      )}
    </>
  )
}
