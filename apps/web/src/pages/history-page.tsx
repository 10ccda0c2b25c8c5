import { SettledAskLine } from '@holdpoint/react/cards/ask-card-settled'
import { OutcomeRules } from '@holdpoint/react/cards/outcome-rules'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { Ask } from '@holdpoint/schema/ask'
import { useCallback } from 'react'
import { Link } from 'wouter'
import { MoreButton } from '../parts/more-button.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { usePages } from '../parts/use-pages.ts'
import { settle, useRemote } from '../parts/use-remote.ts'
import { projectName } from '../text/project-name.ts'

/** What was asked and how it ended: who, from where, when. */
export function HistoryPage() {
  const client = useClient()
  const { remote, again } = useRemote(useCallback(() => client.history(), [client]))
  return (
    <Page title="History" intro="What was asked, and how it ended. Newest first.">
      <RemoteView remote={remote} again={again}>
        {(first) =>
          first.asks.length === 0 ? (
            <p className="text-quiet">Nothing has been answered yet.</p>
          ) : (
            <HistoryList first={first} />
          )
        }
      </RemoteView>
    </Page>
  )
}

interface HistoryPart {
  readonly asks: readonly Ask[]
  readonly next?: string
}

function HistoryList({ first }: { first: HistoryPart }) {
  const client = useClient()
  const { entries, hasMore, isLoading, error, loadMore } = usePages({
    first: first.asks,
    next: first.next,
    read: async (next) => {
      const page = await settle(client.history(next))
      return page.ok ? { ok: true, value: { entries: page.value.asks, next: page.value.next } } : page
    },
  })
  return (
    <>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
        {entries.map((ask) => (
          <HistoryLine key={ask.id} ask={ask} />
        ))}
      </ul>
      <MoreButton words="Show older ones" {...{ hasMore, isLoading, error, loadMore }} />
    </>
  )
}

function HistoryLine({ ask }: { ask: Ask }) {
  const title = useGateway((state) => state.sessions.get(ask.sessionId)?.title)
  if (!ask.outcome) return null
  return (
    <li className="px-4 py-2.5 text-sm">
      <SettledAskLine ask={ask} outcome={ask.outcome} />
      <OutcomeRules outcome={ask.outcome} className="pl-5.5" />
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
