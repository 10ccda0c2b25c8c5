import { Check, type LucideIcon, Minus, X } from 'lucide-react'
import type { OutcomeWords } from './outcome-words.ts'

const ICONS: Readonly<Record<OutcomeWords['tone'], LucideIcon>> = { allow: Check, deny: X, plain: Minus }
const COLOURS: Readonly<Record<OutcomeWords['tone'], string>> = {
  allow: 'text-allow',
  deny: 'text-deny',
  plain: 'text-quiet',
}

/** How an ask ended, in a sign and two words. */
export function OutcomeMark({ words }: { words: OutcomeWords }) {
  const Icon = ICONS[words.tone]
  return (
    <span className={`flex shrink-0 items-center gap-1.5 font-medium ${COLOURS[words.tone]}`}>
      <Icon aria-hidden className="size-4" />
      {words.what}
    </span>
  )
}
