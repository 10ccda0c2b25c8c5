import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import type { OpenCardProps } from './card-frame.tsx'
import { MachineLine } from './machine-line.tsx'

/** What the person must know about their answer before it is settled; nothing while all is as it should be. */
export function AnswerStatus({ card }: { card: OpenCardProps }) {
  return (
    <>
      <MachineLine card={card} />
      <Progress card={card} />
    </>
  )
}

function Progress({ card }: { card: OpenCardProps }) {
  const { state, blocked, onCancelWaiting } = card
  if (state.kind === 'submitting') {
    if (!state.overdue) return null
    return (
      <Line tone="wait" role="status">
        <span className="min-w-0 flex-1">No reply yet: trying again.</span>
        {onCancelWaiting && (
          <Button variant="quiet" onClick={onCancelWaiting}>
            Stop waiting
          </Button>
        )}
      </Line>
    )
  }
  if (state.kind === 'failed') {
    return (
      <Line tone="deny" role="alert">
        {state.message}
      </Line>
    )
  }
  if (blocked !== undefined) return <Line tone="wait">{blocked}</Line>
  if (state.gaveUp) {
    return (
      <Line tone="wait">
        You stopped waiting. Your answer may still have counted: this card shows it as soon as it is known.
      </Line>
    )
  }
  return null
}

const TONE = { wait: 'bg-wait-bg text-wait', deny: 'bg-deny-bg text-deny' } as const

function Line({ tone, role, children }: { tone: keyof typeof TONE; role?: string; children: ReactNode }) {
  return (
    <div role={role} className={`mx-4 mt-2.5 flex items-center gap-2 rounded-lg px-3 py-1.5 text-[13px] ${TONE[tone]}`}>
      {children}
    </div>
  )
}
