import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { PolicyRule } from '@holdpoint/schema/policy'
import { Check, type LucideIcon, X } from 'lucide-react'
import { count } from '../text/count.ts'

/** What a rule must match and must not match: it is saved only if both hold. */
export function OwnTests({ match = [], notMatch = [] }: Pick<PolicyRule, 'match' | 'notMatch'>) {
  if (match.length + notMatch.length === 0) return null
  return (
    <details className="text-xs text-quiet">
      <summary className="inline-flex min-h-11 cursor-pointer items-center rounded underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-0">
        {count(match.length + notMatch.length, 'test')}
      </summary>
      <ul className="mt-1 flex flex-col gap-0.5 font-mono">
        {match.map((text) => (
          <TestLine key={`fits ${text}`} icon={Check} look="text-allow" words="Matches" text={text} />
        ))}
        {notMatch.map((text) => (
          <TestLine key={`not ${text}`} icon={X} look="text-faint" words="Does not match" text={text} />
        ))}
      </ul>
    </details>
  )
}

interface TestLineProps {
  readonly icon: LucideIcon
  readonly look: string
  readonly words: string
  readonly text: string
}

function TestLine({ icon: Icon, look, words, text }: TestLineProps) {
  return (
    <li className="flex min-w-0 items-start gap-1.5">
      <Icon aria-label={words} className={`mt-0.5 size-3.5 shrink-0 ${look}`} />
      <VisibleText text={text} code className="min-w-0 wrap-anywhere" />
    </li>
  )
}
