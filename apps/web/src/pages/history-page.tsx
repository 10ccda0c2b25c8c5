import { useClient } from '@holdpoint/react/holdpoint-provider'
import { OutcomeLine } from '@holdpoint/react/outcome-line'
import { useGateway } from '@holdpoint/react/use-gateway'
import { VisibleText } from '@holdpoint/react/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback } from 'react'
import { Link } from 'wouter'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { projectName } from '../text/project-name.ts'

/** What was asked and how it ended: who, from where, when. */
export function HistoryPage() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.history(), [client]))
  return (
    <Page title="History" intro="What was asked, and how it ended. Newest first.">
      <RemoteView remote={remote} again={again}>
        {(asks) =>
          asks.length === 0 ? (
            <p className="text-quiet">Nothing was answered yet.</p>
          ) : (
            <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
              {asks.map((ask) => (
                <HistoryLine key={ask.id} ask={ask} />
              ))}
            </ul>
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
    <li className="px-4 py-2.5">
      <OutcomeLine ask={ask} outcome={ask.outcome} withFact />
      <Link
        href={`/sessions/${ask.sessionId}`}
        className="mt-0.5 inline-block max-w-full truncate rounded text-xs text-quiet underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-accent"
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
