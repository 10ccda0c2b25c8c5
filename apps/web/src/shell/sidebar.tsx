import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Kbd } from '@holdpoint/react/ui/kbd'
import { Plus, Search } from 'lucide-react'
import { Link, useRoute } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { BrandMark } from '../parts/brand.tsx'
import { INBOX, morePlaces, type Place } from '../parts/places.ts'
import { SessionList } from '../sessions/session-list.tsx'
import { LinkStateLabel } from './link-state.tsx'

const ENDED_LIMIT = 6

/** On wide screens: everything in reach, always. */
export function Sidebar({ onKeys, onPalette }: { onKeys: () => void; onPalette: () => void }) {
  const isOwner = useIsOwner()
  const hasMachines = useSeveralMachines().length > 0
  return (
    <nav aria-label="Main" className="hidden h-dvh w-68 shrink-0 flex-col border-r border-line bg-panel desk:flex">
      <div className="flex items-center gap-2 px-4 pt-4 pb-3">
        <BrandMark className="size-5 text-accent" />
        <span className="font-semibold tracking-tight">Holdpoint</span>
        <span className="ml-auto">
          <LinkStateLabel />
        </span>
      </div>
      <div className="px-2.5">
        <InboxLink />
        <button
          type="button"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onPalette}
          className="flex min-h-8 w-full items-center gap-2.5 rounded-lg px-2.5 text-sm text-quiet transition-colors hover:bg-card/70 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          <Search aria-hidden className="size-4" />
          Go to
          <span aria-hidden className="ml-auto flex gap-1">
            <Kbd>Ctrl</Kbd>
            <Kbd>K</Kbd>
          </span>
        </button>
      </div>
      <div className="mt-4 min-h-0 flex-1 overflow-y-auto px-2.5 pb-4">
        <SessionList endedLimit={ENDED_LIMIT} />
      </div>
      <div className="border-t border-line p-2.5">
        {isOwner && (
          <Link
            href="/new"
            className="mb-2 flex min-h-9 items-center justify-center gap-2 rounded-lg border border-line bg-card text-sm font-medium shadow-card transition-colors hover:border-edge focus-visible:outline-2 focus-visible:outline-accent"
          >
            <Plus aria-hidden className="size-4" />
            New session
          </Link>
        )}
        {morePlaces({ isOwner, hasMachines }).map((place) => (
          <PlaceLink key={place.path} place={place} />
        ))}
        <button
          type="button"
          onClick={onKeys}
          className="flex min-h-8 w-full items-center gap-2.5 rounded-lg px-2.5 text-sm text-quiet transition-colors hover:bg-card/70 hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          <span className="flex size-4 items-center justify-center">
            <Kbd>?</Kbd>
          </span>
          Keys
        </button>
      </div>
    </nav>
  )
}

function InboxLink() {
  const waiting = useGateway((state) => state.asks.length)
  return <PlaceLink place={INBOX} badge={waiting} />
}

function PlaceLink({ place: { path, name, icon: Icon }, badge = 0 }: { place: Place; badge?: number }) {
  const [current] = useRoute(path)
  return (
    <Link
      href={path}
      aria-current={current ? 'page' : undefined}
      className={`flex min-h-8 items-center gap-2.5 rounded-lg px-2.5 text-sm transition-colors focus-visible:outline-2 focus-visible:outline-accent ${current ? 'bg-card font-medium text-ink shadow-card ring-1 ring-line' : 'text-quiet hover:bg-card/70 hover:text-ink'}`}
    >
      <Icon aria-hidden className="size-4" />
      {name}
      {badge > 0 && (
        <span className="ml-auto rounded-full bg-wait px-2 text-xs leading-5 font-semibold text-bg tabular-nums">
          {badge}
          <span className="sr-only"> {badge === 1 ? 'needs' : 'need'} an answer</span>
        </span>
      )}
    </Link>
  )
}
