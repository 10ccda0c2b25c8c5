import { IconButton } from '@holdpoint/react/ui/icon-button'
import { Search } from 'lucide-react'
import { BrandMark } from '../parts/brand.tsx'
import { LinkStateLabel } from './link-state.tsx'

/** On phones: the name of the app, and whether it is live. A session has its own bar. */
export function TopBar({ onPalette }: { onPalette: () => void }) {
  return (
    <header className="flex min-h-12 shrink-0 items-center gap-2 border-b border-line bg-panel px-4 pr-1.5 pt-[env(safe-area-inset-top)] desk:hidden">
      <BrandMark className="size-5 text-accent" />
      <span className="font-semibold tracking-tight">Holdpoint</span>
      <span className="ml-auto">
        <LinkStateLabel />
      </span>
      <IconButton icon={Search} label="Go to" aria-haspopup="dialog" onClick={onPalette} />
    </header>
  )
}
