import { IconButton } from '@holdpoint/react/ui/icon-button'
import { LayoutList, ListFilter, Rows3 } from 'lucide-react'
import type { InboxView } from '../parts/preferences.ts'

interface ViewButtonsProps {
  readonly view: InboxView
  readonly hasTools: boolean
  onTools(isWanted: boolean): void
  onView(): void
}

export function ViewButtons({ view, hasTools, onTools, onView }: ViewButtonsProps) {
  const isLines = view === 'lines'
  return (
    <span className="-my-2 flex shrink-0">
      <IconButton
        icon={ListFilter}
        label="Filter and sort"
        aria-expanded={hasTools}
        aria-keyshortcuts="/"
        onClick={() => onTools(!hasTools)}
        className="aria-expanded:text-accent"
      />
      <IconButton
        icon={isLines ? LayoutList : Rows3}
        label={isLines ? 'Show whole cards' : 'Show one line for each ask'}
        aria-keyshortcuts="v"
        onClick={onView}
      />
    </span>
  )
}
