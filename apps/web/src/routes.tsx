import { lazy, useEffect } from 'react'
import { Route, Switch } from 'wouter'
import { AskPage } from './inbox/ask-page.tsx'
import { InboxPage } from './inbox/inbox-page.tsx'

const PRELOAD_MS = 1500

const loadSessionPage = () => import('./session/session-page.tsx')
const SessionPage = lazy(() => loadSessionPage().then((page) => ({ default: page.SessionPage })))
const SessionsPage = lazy(() => import('./sessions/sessions-page.tsx').then((page) => ({ default: page.SessionsPage })))
const NewSessionPage = lazy(() =>
  import('./new-session/new-session-page.tsx').then((page) => ({ default: page.NewSessionPage })),
)
const DevicesPage = lazy(() => import('./devices/devices-page.tsx').then((page) => ({ default: page.DevicesPage })))
const MachinesPage = lazy(() => import('./machines/machines-page.tsx').then((page) => ({ default: page.MachinesPage })))
const HistoryPage = lazy(() => import('./pages/history-page.tsx').then((page) => ({ default: page.HistoryPage })))
const RulesPage = lazy(() => import('./rules/rules-page.tsx').then((page) => ({ default: page.RulesPage })))
const SettingsPage = lazy(() => import('./settings/settings-page.tsx').then((page) => ({ default: page.SettingsPage })))
const TranscriptsPage = lazy(() =>
  import('./transcripts/transcripts-page.tsx').then((page) => ({ default: page.TranscriptsPage })),
)
const TranscriptPage = lazy(() =>
  import('./transcripts/transcript-page.tsx').then((page) => ({ default: page.TranscriptPage })),
)
const UsagePage = lazy(() => import('./usage/usage-page.tsx').then((page) => ({ default: page.UsagePage })))
const NotFoundPage = lazy(() => import('./pages/not-found-page.tsx').then((page) => ({ default: page.NotFoundPage })))

/** The page of each address. */
export function Routes() {
  useEffect(() => {
    // The page that is opened most often is loaded before anybody asks for it.
    const timer = setTimeout(() => void loadSessionPage().catch(() => {}), PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Switch>
      <Route path="/" component={InboxPage} />
      <Route path="/asks/:id">{({ id }) => <AskPage key={id} id={id} />}</Route>
      <Route path="/sessions" component={SessionsPage} />
      <Route path="/sessions/:id/:view?">
        {({ id, view }) => <SessionPage key={id} id={id} showsChanges={view === 'changes'} />}
      </Route>
      <Route path="/past" component={TranscriptsPage} />
      <Route path="/past/:id">{({ id }) => <TranscriptPage key={id} id={id} />}</Route>
      <Route path="/new" component={NewSessionPage} />
      <Route path="/devices" component={DevicesPage} />
      <Route path="/machines" component={MachinesPage} />
      <Route path="/history" component={HistoryPage} />
      <Route path="/usage" component={UsagePage} />
      <Route path="/rules" component={RulesPage} />
      <Route path="/settings" component={SettingsPage} />
      <Route component={NotFoundPage} />
    </Switch>
  )
}
