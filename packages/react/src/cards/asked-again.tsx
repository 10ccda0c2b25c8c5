import { RefreshCw } from 'lucide-react'
import type { ShownCall } from './approval-blocks.ts'

type AskedAgain = Pick<ShownCall, 'replaces' | 'kind' | 'files'>

/** On a card that replaced one whose content had changed. A press on the earlier card did not count. */
export function AskedAgainLine({ ask }: { ask: AskedAgain }) {
  if (ask.replaces === undefined) return null
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-lg border border-wait-line bg-wait-bg px-2.5 py-1.5 text-[13px] leading-5 text-wait"
    >
      <RefreshCw aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      {whatChanged(ask)} changed before you answered, so nothing was allowed. Below is what would happen now.
    </p>
  )
}

function whatChanged({ kind, files = [] }: AskedAgain): string {
  if (kind === 'plan') return 'The plan'
  return files.some(({ use }) => use === 'edits') ? 'The file or its location' : 'The folder or a file that this runs'
}
