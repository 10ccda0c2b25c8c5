import { RefreshCw } from 'lucide-react'
import { useOutdated } from './use-outdated.ts'

/** Says that this page is older than its gateway. It keeps working as well as it can; only the person reloads it. */
export function OutdatedBar() {
  if (!useOutdated()) return null
  return (
    <div
      role="status"
      className="flex min-h-9 items-center gap-2.5 border-b border-wait-line bg-wait-bg px-4 py-1 text-[13px] text-wait desk:px-8"
    >
      <RefreshCw aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">Holdpoint was updated. This page is from the previous version.</p>
      <button
        type="button"
        onClick={() => window.location.reload()}
        className="min-h-11 shrink-0 rounded-md pointer-fine:min-h-7 px-2 font-semibold underline underline-offset-2 focus-visible:outline-2 focus-visible:outline-current"
      >
        Reload
      </button>
    </div>
  )
}
