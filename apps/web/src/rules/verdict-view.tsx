import { ReasonText } from '@holdpoint/react/cards/reason-text'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Chip } from '@holdpoint/react/ui/chip'
import type { Verdict } from '@holdpoint/schema/policy'

const WORDS = {
  allow: { label: 'Allowed', tone: 'allow' },
  ask: { label: 'Asks', tone: 'wait' },
  deny: { label: 'Denied', tone: 'deny' },
  none: { label: 'No rule', tone: 'plain' },
} as const

/** What the rules say of a call, and of each part of it. */
export function VerdictView({ verdict }: { verdict: Verdict }) {
  const { effect, reason, parts } = verdict
  return (
    <div role="status" className="flex flex-col gap-2 rounded-lg border border-line bg-panel px-3 py-2.5 text-[13px]">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Chip tone={WORDS[effect].tone}>{WORDS[effect].label}</Chip>
        <span className="min-w-0 wrap-anywhere">
          <ReasonText text={reason} />
          {effect === 'none' && ' So the permission mode of the session decides.'}
        </span>
      </p>
      {parts.length > 1 && (
        <ol className="flex flex-col gap-1.5 border-t border-line pt-2">
          {parts.map((part, place) => (
            <li key={place} className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-0.5">
              <Chip tone={WORDS[part.effect].tone}>{WORDS[part.effect].label}</Chip>
              <VisibleText text={part.part} code className="min-w-0 font-mono text-xs wrap-anywhere" />
              <span className="basis-full text-xs text-quiet wrap-anywhere">
                <ReasonText text={part.reason} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
