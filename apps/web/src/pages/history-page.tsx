import { SettledAskLine } from '@holdpoint/react/ask-card-settled'
import { Button } from '@holdpoint/react/button'
import { useClient } from '@holdpoint/react/holdpoint-provider'
import { useGateway } from '@holdpoint/react/use-gateway'
import { VisibleText } from '@holdpoint/react/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback, useState } from 'react'
import { Link } from 'wouter'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { projectName } from '../text/project-name.ts'

/** How many are drawn at once: each has a clock. */
const STEP = 100

/** What was asked and how it ended: who, from where, when. */
export function HistoryPage() {
  const client = useClient()
  const [shown, setShown] = useState(STEP)
  const { remote, again } = useRemote(useCallback(() => client.history(), [client]))
  return (
    <Page title="History" intro="What was asked, and how it ended. Newest first.">
      <RemoteView remote={remote} again={again}>
        {(asks) =>
          asks.length === 0 ? (
            <p className="text-quiet">Nothing was answered yet.</p>
          ) : (
            <>
              <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
                {asks.slice(0, shown).map((ask) => (
                  <HistoryLine key={ask.id} ask={ask} />
                ))}
              </ul>
              {asks.length > shown && <Button onClick={() => setShown(shown + STEP)}>Show older ones</Button>}
            </>
          )
        }
      </RemoteView>
    </Page>
  )
}

function HistoryLine({ ask }: { ask: Ask }) {
  const title = useGateway((state) => state.sessions.get(ask.sessionId)?.title)
  if (!ask.outcome) return null
  return (
    <li className="px-4 py-2.5 text-sm">
      <SettledAskLine ask={ask} outcome={ask.outcome} />
      <Link
        href={`/sessions/${ask.sessionId}`}
        className="-my-2 ml-5.5 flex min-h-11 max-w-full pointer-fine:my-0 items-center truncate pointer-fine:min-h-0 rounded text-xs text-quiet underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-accent"
      >
        <VisibleText
          text={[title, projectName({ agent: ask.agent, cwd: ask.context.cwd })]
            .filter((part) => part !== undefined)
            .join(' · ')}
        />
      </Link>
    </li>
  )
}
