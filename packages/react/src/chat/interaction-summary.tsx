import { CircleAlert, type LucideIcon, TimerOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import type { ShownState } from './interaction-state.ts'

const ELSEWHERE = {
  allowed: 'Approved elsewhere',
  denied: 'Denied elsewhere',
  answered: 'Answered elsewhere',
  withdrawn: 'No longer needed',
  expired: 'Timed out',
} as const

interface UnansweredSummaryProps {
  readonly state: ShownState
  readonly about: ReactNode
  /** What it was about, exactly. */
  readonly fact?: ReactNode
}

/** The outcome of a tool call that was not answered here. */
export function UnansweredSummary({ state, about, fact }: UnansweredSummaryProps) {
  if (state.kind === 'timed-out') {
    return (
      <SummaryLine icon={TimerOff} what="Timed out" about={about} fact={fact}>
        {state.tooLate ? 'Your answer came too late.' : 'Nobody answered in time.'}
      </SummaryLine>
    )
  }
  if (state.kind !== 'elsewhere') return null
  const { settled, tooLate } = state
  const what = settled ? ELSEWHERE[settled.outcome] : 'No longer waiting'
  return (
    <SummaryLine icon={CircleAlert} what={what} about={about} fact={fact}>
      {tooLate && 'Your answer came too late. '}
      {settled?.reason !== undefined && <VisibleText text={settled.reason} multiline />}
    </SummaryLine>
  )
}

const COLOUR = { allow: 'text-allow', deny: 'text-deny', plain: 'text-quiet' } as const

interface SummaryLineProps {
  readonly icon: LucideIcon
  readonly tone?: keyof typeof COLOUR
  readonly what: string
  readonly about: ReactNode
  readonly fact?: ReactNode
  readonly children?: ReactNode
}

export function SummaryLine({ icon: Icon, tone = 'plain', what, about, fact, children }: SummaryLineProps) {
  return (
    <>
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${COLOUR[tone]}`} />
      <div className="min-w-0">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2">
          <span className={`shrink-0 font-medium ${tone === 'plain' ? '' : COLOUR[tone]}`}>{what}</span>
          <span className="min-w-0 text-quiet wrap-anywhere">{about}</span>
        </p>
        {fact}
        <p className="text-[13px] text-quiet empty:hidden">{children}</p>
      </div>
    </>
  )
}
