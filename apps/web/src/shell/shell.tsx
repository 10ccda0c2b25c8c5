import { AskAnnouncer } from '@holdpoint/react/cards/ask-announcer'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Attention } from '../attention/attention.tsx'
import { NavigationContext } from '../parts/navigation.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { PushUpkeep } from '../push/push-upkeep.tsx'
import { DatabaseBar } from './database-bar.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { OutdatedBar } from './outdated-bar.tsx'
import { PageFault } from './page-fault.tsx'
import { Sidebar } from './sidebar.tsx'
import { StaleBar } from './stale-bar.tsx'
import { TabBar } from './tab-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { useKeys } from './use-keys.ts'

const loadPalette = () => import('../palette/palette.tsx')
const Palette = lazy(() => loadPalette().then((part) => ({ default: part.Palette })))

/** What is around every page: the ways to go, and whether what is shown is live. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path, navigate] = useLocation()
  const [keysOpen, setKeysOpen] = useState(false)
  const [paletteOpen, setPaletteOpen] = useState(false)
  // Where it cannot be loaded, the app goes on without it.
  const onPalette = useCallback(
    () =>
      void loadPalette().then(
        () => setPaletteOpen(true),
        () => {},
      ),
    [],
  )
  const navigated = useNavigated(path)
  const main = useRef<HTMLElement>(null)
  useKeys(
    useMemo(
      () => ({
        onInbox: () => navigate('/'),
        onSessions: () => navigate('/sessions'),
        onNew: () => navigate('/new'),
        onHelp: () => setKeysOpen(true),
        onPalette,
      }),
      [navigate, onPalette],
    ),
  )
  // Another page starts at its top.
  useEffect(() => {
    if (main.current) main.current.scrollTop = 0
  }, [path])
  const inSession = /^\/(?:sessions|past)\/./.test(path)

  return (
    <NavigationContext value={navigated}>
      <div className="flex h-dvh overflow-hidden">
        <a
          href="#main"
          className="fixed top-2 left-2 z-50 flex min-h-11 -translate-y-20 items-center rounded-lg bg-accent px-4 text-sm font-medium text-on-accent focus:translate-y-0"
        >
          Skip to the content
        </a>
        <Sidebar onKeys={() => setKeysOpen(true)} onPalette={onPalette} />
        <div className="flex h-dvh min-w-0 flex-1 flex-col">
          {!inSession && <TopBar onPalette={onPalette} />}
          <StaleBar />
          <DatabaseBar />
          <OutdatedBar />
          <main
            id="main"
            ref={main}
            tabIndex={-1}
            className="relative min-h-0 flex-1 overflow-y-auto outline-none has-data-sticky:scroll-pb-20"
          >
            <PageFault key={path}>
              <Suspense fallback={<PageSkeleton />}>{children}</Suspense>
            </PageFault>
          </main>
          {!inSession && <TabBar />}
        </div>
      </div>
      <KeysDialog open={keysOpen} onClose={() => setKeysOpen(false)} />
      <Suspense>{paletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}</Suspense>
      <AskAnnouncer />
      <Attention />
      <PushUpkeep />
    </NavigationContext>
  )
}

function useNavigated(path: string) {
  const first = useRef(path)
  const navigated = useRef(false)
  // During rendering, not after: the new page's heading looks at it when it mounts.
  if (path !== first.current) navigated.current = true
  return navigated
}

function PageSkeleton() {
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pt-8 desk:px-8">
      <Skeleton rows={4} />
    </div>
  )
}
