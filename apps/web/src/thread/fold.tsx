import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  readonly expanded: boolean
  onToggle(): void
  readonly label: ReactNode
  readonly children?: ReactNode
}

/** A line that opens. Its state lives with the thread: a row that scrolls out of sight is taken out of the page. */
export function Fold({ expanded, onToggle, label, children }: FoldProps) {
  return (
    <div>
      <button
        type="button"
        aria-expanded={expanded}
        onClick={onToggle}
        className="flex min-h-11 w-full min-w-0 items-center gap-2 rounded-lg text-left text-[13px] hover:bg-panel focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-7"
      >
        <ChevronRight
          aria-hidden
          className={`size-4 shrink-0 text-faint transition-transform ${expanded ? 'rotate-90' : ''}`}
        />
        <span className="min-w-0 flex-1">{label}</span>
      </button>
      {expanded && children && <div className="mt-1 mb-2 ml-6 flex flex-col gap-2">{children}</div>}
    </div>
  )
}
