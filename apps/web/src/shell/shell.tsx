import { AskAnnouncer } from '@holdpoint/react/cards/ask-announcer'
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
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

/** What is around every page: the ways to go, and whether what is shown is live. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [path, navigate] = useLocation()
  const [keysOpen, setKeysOpen] = useState(false)
  const navigated = useNavigated(path)
  const main = useRef<HTMLElement>(null)
  useKeys(
    useMemo(
      () => ({
        onInbox: () => navigate('/'),
        onSessions: () => navigate('/sessions'),
        onNew: () => navigate('/new'),
        onHelp: () => setKeysOpen(true),
      }),
      [navigate],
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
        <Sidebar onKeys={() => setKeysOpen(true)} />
        <div className="flex h-dvh min-w-0 flex-1 flex-col">
          {!inSession && <TopBar />}
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
