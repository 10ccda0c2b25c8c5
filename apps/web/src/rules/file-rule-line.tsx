import { ReasonText } from '@holdpoint/react/cards/reason-text'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { useNowAs } from '@holdpoint/react/time/now'
import { Chip } from '@holdpoint/react/ui/chip'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { OwnTests } from './own-tests.tsx'
import { EFFECTS, scopeWords, untilWords } from './rule-words.ts'

/** A rule of a policy file: it is changed there, not here. */
export function FileRuleLine({ rule, warning }: { rule: PolicyRule; warning?: string | undefined }) {
  const { effect, pattern, why, pins = [], agent, until, scope } = rule
  const ends = useNowAs((now) => (until === undefined ? '' : untilWords(until, now)))
  const facts = [scopeWords(scope), ends, agent === '*' ? '' : `only ${agent}`]
  return (
    <li className="flex items-start gap-3 px-4 py-2.5 sm:px-5">
      <div className="w-12 shrink-0 pt-px">
        <Chip tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Chip>
      </div>
      <div className="min-w-0 flex-1">
        <p className="font-mono text-[13px] wrap-anywhere">
          <VisibleText text={pattern} code />
        </p>
        {why !== undefined && (
          <p className="text-[13px] text-quiet wrap-anywhere">
            <VisibleText text={why} multiline />
          </p>
        )}
        {pins.map(({ path }) => (
          <p key={path} className="text-xs text-quiet wrap-anywhere">
            only while <VisibleText text={path} code className="font-mono" /> is unchanged
          </p>
        ))}
        <p className="text-xs text-quiet wrap-anywhere">
          <VisibleText text={facts.filter(Boolean).join(' · ')} />
        </p>
        {warning !== undefined && <RuleWarning text={warning} />}
        <OwnTests {...rule} />
      </div>
    </li>
  )
}

/** What may be wrong with a rule that holds all the same. */
export function RuleWarning({ text }: { text: string }) {
  return (
    <p className="text-xs text-wait wrap-anywhere">
      <ReasonText text={text} />
    </p>
  )
}
