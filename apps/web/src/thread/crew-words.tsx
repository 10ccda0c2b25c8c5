import { count } from '../text/count.ts'
import type { Crew } from './thread-rows.ts'

/** What a subagent has done, on its line: that it waits is said while it is folded. */
export function CrewWords({ crew: { steps, waits } }: { crew: Crew }) {
  return (
    <>
      <span className="shrink-0 text-quiet">{count(steps, 'step')}</span>
      {waits && <span className="shrink-0 font-medium text-wait">needs answer</span>}
    </>
  )
}
