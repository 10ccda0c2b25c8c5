import { useZoomedIn } from '../arming/in-sight.ts'
import { JumpToEnd } from '../arming/jump-to-end.tsx'

/** Why a session takes no yes. */
export const FROZEN = 'Frozen by an alarm: nothing is allowed'

interface AnswerHintProps {
  readonly text: string | undefined
  /** It is because not all was on screen to its end. */
  readonly unseen?: boolean
  readonly className?: string
}

/** Why the buttons below cannot be pressed yet. Where scrolling helps, the words are a button that does it. */
export function AnswerHint({ text, unseen = false, className = '' }: AnswerHintProps) {
  const isZoomedIn = useZoomedIn()
  if (text === undefined) return null
  const leads = unseen && !isZoomedIn
  return (
    <div className={`flex flex-wrap items-center gap-x-1 text-[13px] text-wait ${className}`}>
      {leads ? <JumpToEnd words={text} /> : <p>{text}</p>}
    </div>
  )
}
