import { RefreshCw } from 'lucide-react'
import type { ShownCall } from './approval-blocks.ts'

type AskedAgain = Pick<ShownCall, 'replaces' | 'kind' | 'files'>

/** On a card that took the place of one whose content had changed under it. Whatever was pressed there did not count. */
export function AskedAgainLine({ ask }: { ask: AskedAgain }) {
  if (ask.replaces === undefined) return null
  return (
    <p
      role="status"
      className="flex items-start gap-2 rounded-lg border border-wait-line bg-wait-bg px-2.5 py-1.5 text-[13px] leading-5 text-wait"
    >
      <RefreshCw aria-hidden className="mt-0.75 size-3.5 shrink-0" />
      {whatChanged(ask)} changed after this was shown, so nothing was allowed. Look again.
    </p>
  )
}

function whatChanged({ kind, files = [] }: AskedAgain): string {
  if (kind === 'plan') return 'The plan'
  return files.some(({ use }) => use === 'edits') ? 'The file' : 'A file that this runs'
}
