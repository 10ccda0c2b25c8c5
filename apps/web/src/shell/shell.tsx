import { AskAnnouncer } from '@holdpoint/react/ask-announcer'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { Attention } from '../attention/attention.tsx'
import { InboxPage } from '../inbox/inbox-page.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { NavigationContext } from './navigation.ts'
import { OutdatedBar } from './outdated-bar.tsx'
import { PageFault } from './page-fault.tsx'
import { Sidebar } from './sidebar.tsx'
import { StaleBar } from './stale-bar.tsx'
import { TabBar } from './tab-bar.tsx'
import { TopBar } from './top-bar.tsx'
import { useKeys } from './use-keys.ts'

const PRELOAD_MS = 1500

const loadSessionPage = () => import('../session/session-page.tsx')
const SessionPage = lazy(() => loadSessionPage().then((page) => ({ default: page.SessionPage })))
const SessionsPage = lazy(() => import('../pages/sessions-page.tsx').then((page) => ({ default: page.SessionsPage })))
const NewSessionPage = lazy(() =>
  import('../new-session/new-session-page.tsx').then((page) => ({ default: page.NewSessionPage })),
)
const DevicesPage = lazy(() => import('../devices/devices-page.tsx').then((page) => ({ default: page.DevicesPage })))
const HistoryPage = lazy(() => import('../pages/history-page.tsx').then((page) => ({ default: page.HistoryPage })))
const RulesPage = lazy(() => import('../pages/rules-page.tsx').then((page) => ({ default: page.RulesPage })))
const SettingsPage = lazy(() =>
  import('../settings/settings-page.tsx').then((page) => ({ default: page.SettingsPage })),
)
const TranscriptsPage = lazy(() =>
  import('../transcripts/transcripts-page.tsx').then((page) => ({ default: page.TranscriptsPage })),
)
const TranscriptPage = lazy(() =>
  import('../transcripts/transcript-page.tsx').then((page) => ({ default: page.TranscriptPage })),
)
const NotFoundPage = lazy(() => import('../pages/not-found-page.tsx').then((page) => ({ default: page.NotFoundPage })))

/** What is around every page: the ways to go, and whether what is shown is live. */
export function Shell() {
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
  useEffect(() => {
    // The page that is opened most, fetched while nobody waits for it.
    const timer = setTimeout(() => void loadSessionPage().catch(() => {}), PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
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
          <OutdatedBar />
          <main id="main" ref={main} tabIndex={-1} className="relative min-h-0 flex-1 overflow-y-auto outline-none">
            <PageFault key={path}>
              <Suspense fallback={<PageSkeleton />}>
                <Switch>
                  <Route path="/" component={InboxPage} />
                  <Route path="/sessions" component={SessionsPage} />
                  <Route path="/sessions/:id">{({ id }) => <SessionPage key={id} id={id} />}</Route>
                  <Route path="/past" component={TranscriptsPage} />
                  <Route path="/past/:id">{({ id }) => <TranscriptPage key={id} id={id} />}</Route>
                  <Route path="/new" component={NewSessionPage} />
                  <Route path="/devices" component={DevicesPage} />
                  <Route path="/history" component={HistoryPage} />
                  <Route path="/rules" component={RulesPage} />
                  <Route path="/settings" component={SettingsPage} />
                  <Route component={NotFoundPage} />
                </Switch>
              </Suspense>
            </PageFault>
          </main>
          {!inSession && <TabBar />}
        </div>
      </div>
      <KeysDialog open={keysOpen} onClose={() => setKeysOpen(false)} />
      <AskAnnouncer />
      <Attention />
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
