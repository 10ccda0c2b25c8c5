import { ShieldX } from 'lucide-react'
import { VisibleText } from '../text/visible-text.tsx'
import type { ShownCall } from './approval-blocks.ts'

/** On a card about a call that the agent's own check has refused: why, and what a yes does. */
export function AppealLine({ appeal }: { appeal: ShownCall['appeal'] | undefined }) {
  if (!appeal) return null
  return (
    <div className="flex items-start gap-2 rounded-lg border border-wait-line bg-wait-bg px-2.5 py-1.5 text-[13px] leading-5">
      <ShieldX aria-hidden className="mt-0.75 size-3.5 shrink-0 text-wait" />
      <div className="min-w-0">
        <p className="font-medium text-wait">The agent’s own check refused this call. Allow it once?</p>
        <p className="wrap-anywhere">
          <span className="text-quiet">Its reason: </span>
          <VisibleText text={appeal.reason} />
        </p>
        <p className="text-quiet">
          If you allow it, the agent may repeat exactly this call once, before its turn ends.
        </p>
      </div>
    </div>
  )
}
