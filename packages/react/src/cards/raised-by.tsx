import { Plug } from 'lucide-react'
import { VisibleText } from '../text/visible-text.tsx'

interface RaisedByLineProps {
  readonly raiser: string | undefined
  /** In a session that has no agent besides. */
  readonly alone?: boolean
  readonly className?: string
}

/** On an ask that came over the API: all of it is a program's word, whatever it looks like. */
export function RaisedByLine({ raiser, alone = false, className = '' }: RaisedByLineProps) {
  if (raiser === undefined) return null
  return (
    <p className={`flex items-start gap-1.5 text-[13px] leading-5 text-wait ${className}`}>
      <Plug aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {alone ? 'Asked by a program, with the credential “' : 'Asked by the program “'}
        <VisibleText text={raiser} className="font-medium text-ink" />
        {alone ? '”' : '”, not by the agent'}
      </span>
    </p>
  )
}
