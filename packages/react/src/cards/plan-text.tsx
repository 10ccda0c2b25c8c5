import { SeenRegion } from '../arming/seen-region.tsx'
import { Markdown } from '../text/markdown.tsx'

/** A plan as the agent wrote it, formatted. */
export function PlanText({ text, onEndSeen }: { text: string; onEndSeen(): void }) {
  return (
    <SeenRegion label="Plan, from the agent" content={text} onEndSeen={onEndSeen}>
      <div className="px-3.5 py-2.5">
        {text.trim() === '' ? <p className="text-quiet">The agent wrote no plan.</p> : <Markdown text={text} decided />}
      </div>
    </SeenRegion>
  )
}
