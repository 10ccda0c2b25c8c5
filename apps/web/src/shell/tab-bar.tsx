import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { Dialog } from '@holdpoint/react/ui/dialog'
import { Ellipsis, type LucideIcon, MessagesSquare, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { useSeveralMachines } from '../machines/use-several-machines.ts'
import { INBOX, morePlaces } from '../parts/places.ts'

const TAB =
  'relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] font-medium focus-visible:outline-2 focus-visible:-outline-offset-4 focus-visible:outline-accent'

/** On phones: the places, in reach of the thumb. */
export function TabBar() {
  const [path] = useLocation()
  const [moreOpen, setMoreOpen] = useState(false)
  const isOwner = useIsOwner()
  const hasMachines = useSeveralMachines().length > 0
  const places = morePlaces({ isOwner, hasMachines })
  const isMore = places.some((place) => place.path === path)
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] desk:hidden"
    >
      <InboxTab current={path === '/'} />
      <Tab path="/sessions" name="Sessions" icon={MessagesSquare} current={path.startsWith('/sessions')} />
      {isOwner && <Tab path="/new" name="New" icon={Plus} current={path === '/new'} />}
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setMoreOpen(true)}
        className={`${TAB} ${isMore ? 'text-accent' : 'text-quiet'}`}
      >
        <Ellipsis aria-hidden className="size-5" />
        More
      </button>
      <Dialog open={moreOpen} onClose={() => setMoreOpen(false)} title="More">
        <ul className="-mx-2 flex flex-col">
          {places.map(({ path: to, name, icon: Icon }) => (
            <li key={to}>
              <Link
                href={to}
                onClick={() => setMoreOpen(false)}
                aria-current={to === path ? 'page' : undefined}
                className="flex min-h-12 items-center gap-3 rounded-lg px-3 focus-visible:outline-2 focus-visible:outline-accent"
              >
                <Icon aria-hidden className="size-5 text-quiet" />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    </nav>
  )
}

function InboxTab({ current }: { current: boolean }) {
  const waiting = useGateway((state) => state.asks.length)
  return <Tab path={INBOX.path} name={INBOX.name} icon={INBOX.icon} current={current} badge={waiting} />
}

interface TabProps {
  readonly path: string
  readonly name: string
  readonly icon: LucideIcon
  readonly current: boolean
  readonly badge?: number
}

function Tab({ path, name, icon: Icon, current, badge = 0 }: TabProps) {
  return (
    <Link
      href={path}
      aria-current={current ? 'page' : undefined}
      className={`${TAB} ${current ? 'text-accent' : 'text-quiet'}`}
    >
      <span className="relative">
        <Icon aria-hidden className="size-5" />
        {badge > 0 && (
          <span className="absolute -top-1.5 left-3 min-w-4.5 rounded-full bg-wait px-1 text-center text-[11px] leading-4.5 font-bold text-bg tabular-nums">
            {badge}
            <span className="sr-only"> {badge === 1 ? 'needs' : 'need'} an answer,</span>
          </span>
        )}
      </span>
      {name}
    </Link>
  )
}
