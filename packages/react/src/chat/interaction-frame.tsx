import type { LucideIcon } from 'lucide-react'
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { CardFault } from '../cards/card-fault.tsx'
import { TimeLeft } from '../time/time-left.tsx'
import { Collapse } from '../ui/collapse.tsx'
import type { ShownState } from './interaction-state.ts'
import type { Interaction } from './use-interaction.ts'

const TONE = {
  wait: 'border-wait-line bg-card',
  allow: 'border-allow/40 bg-allow-bg',
  deny: 'border-deny-line bg-deny-bg',
  plain: 'border-line bg-panel',
} as const
export type Tone = keyof typeof TONE

interface InteractionFrameProps {
  readonly toolCallId: string
  readonly interaction: Interaction
  readonly icon: LucideIcon
  readonly title: ReactNode
  /** Shown while it is open. */
  readonly open: ReactNode
  /** Shown when it is settled. */
  readonly summary: ReactNode
  readonly tone: Tone
}

/** A tool call that waits for a person in a conversation; it collapses to its outcome. */
export function InteractionFrame(props: InteractionFrameProps) {
  const { toolCallId, interaction, icon: Icon, title, open, summary } = props
  const { state, expiresAt, onLate } = interaction
  const article = useRef<HTMLElement>(null)
  const heading = useId()
  const isOpen = isWaiting(state)
  return (
    <Collapse collapsed={!isOpen}>
      <article
        ref={article}
        tabIndex={-1}
        aria-labelledby={heading}
        data-tool-call-id={toolCallId}
        data-state={state.kind}
        className={`min-w-0 overflow-hidden rounded-xl border text-sm text-ink shadow-card outline-offset-2 focus-visible:outline-2 focus-visible:outline-accent ${TONE[isOpen ? 'wait' : props.tone]}`}
      >
        {isOpen ? (
          <>
            <div className="flex items-center gap-2 border-b border-wait-line bg-wait-bg px-4 py-2.5">
              <Icon aria-hidden className="size-4 shrink-0 text-wait" />
              <h3 id={heading} className="min-w-0 flex-1 font-semibold wrap-anywhere">
                {title}
              </h3>
              {expiresAt !== undefined && <TimeLeft expiresAt={expiresAt} onLate={onLate} />}
            </div>
            <CardFault fallback={<Unshown />}>
              <KeepsFocus within={article}>{open}</KeepsFocus>
            </CardFault>
          </>
        ) : (
          <div role="status" className="flex min-w-0 gap-2.5 px-4 py-2.5">
            <h3 id={heading} className="sr-only">
              {title}
            </h3>
            {summary}
          </div>
        )}
      </article>
    </Collapse>
  )
}

function isWaiting(state: ShownState): boolean {
  return state.kind === 'pending' || state.kind === 'submitting'
}

/** Fields and buttons go when the answer was taken: the keyboard stays on what they were part of. */
function KeepsFocus({ within, children }: { within: RefObject<HTMLElement | null>; children: ReactNode }) {
  useLayoutEffect(() => {
    return () => {
      const article = within.current
      if (article?.contains(document.activeElement)) article.focus({ preventScroll: true })
    }
  }, [within])
  return children
}

function Unshown() {
  return <p className="px-4 py-3 text-quiet">This cannot be shown here, so it cannot be answered here.</p>
}
