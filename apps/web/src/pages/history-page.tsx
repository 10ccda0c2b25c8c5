import { projectName } from '@holdpoint/core/text/project-name'
import { SettledAskLine } from '@holdpoint/react/cards/ask-card-settled'
import { OutcomeRules } from '@holdpoint/react/cards/outcome-rules'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { HistoryEntry, HistoryFilter } from '@holdpoint/schema/endpoints/history'
import { ChevronDown } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { ExportButtons } from '../history/export-buttons.tsx'
import { HistoryDetail } from '../history/history-detail.tsx'
import { HistoryFilters } from '../history/history-filters.tsx'
import { type HistoryChoice, isRuleId, NO_CHOICE, queryOf } from '../history/history-query.ts'
import { pastMachineName } from '../machines/machine-words.ts'
import { LinkButton } from '../parts/link-button.tsx'
import { MoreButton } from '../parts/more-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { usePages } from '../parts/use-pages.ts'
import { settle, useRemote } from '../parts/use-remote.ts'
import { useSettled } from '../parts/use-settled.ts'

/** What was asked and how it ended: who saw it, who answered, from where, when. */
export function HistoryPage() {
  const client = useClient()
  const [words, setWords] = useState('')
  const [choice, setChoice] = useState<HistoryChoice>(NO_CHOICE)
  const text = useSettled(words)
  const rule = new URLSearchParams(useSearch()).get('rule') ?? ''
  const query = useMemo(
    () => ({ ...queryOf(text, choice, Date.now()), ...(isRuleId(rule) && { rule }) }),
    [text, choice, rule],
  )
  const read = useCallback(async () => {
    const page = await client.history(query)
    return page.ok ? { ok: true as const, value: { query, page: page.value } } : page
  }, [client, query])
  const { remote, again } = useRemote(read)
  const isSearch = Object.keys(query).length > 0
  return (
    <Page title="History" intro="What was asked, and how it ended. Newest first.">
      {isRuleId(rule) && (
        <Notice action={<LinkButton href="/history">Show all</LinkButton>}>
          Only what one rule decided is shown, and the answer that made it.
        </Notice>
      )}
      <div className="flex flex-col gap-2">
        <SearchField
          words={words}
          onChange={setWords}
          label="Search the history"
          placeholder="Command, path, words of a denial"
        />
        <HistoryFilters choice={choice} onChange={setChoice} />
      </div>
      <RemoteView remote={remote} again={again}>
        {({ query: found, page }) =>
          page.entries.length === 0 && page.next === undefined ? (
            <p role="status" className="text-quiet">
              {isSearch ? 'Nothing matches this search.' : 'Nothing has been answered yet.'}
            </p>
          ) : (
            <>
              <HistoryList key={JSON.stringify(found)} query={found} first={page} />
              <ExportButtons query={found} />
            </>
          )
        }
      </RemoteView>
    </Page>
  )
}

interface HistoryPart {
  readonly entries: readonly HistoryEntry[]
  readonly next?: number | undefined
}

function HistoryList({ query, first }: { query: HistoryFilter; first: HistoryPart }) {
  const client = useClient()
  const { entries, hasMore, isLoading, error, loadMore } = usePages({
    first: first.entries,
    next: first.next?.toString(),
    read: async (next) => {
      const page = await settle(client.history({ ...query, next: Number(next) }))
      if (!page.ok) return page
      return { ok: true, value: { entries: page.value.entries, next: page.value.next?.toString() } }
    },
  })
  return (
    <>
      <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
        {entries.map((entry) => (
          <HistoryLine key={entry.ask.id} entry={entry} />
        ))}
      </ul>
      <MoreButton words="Show older ones" {...{ hasMore, isLoading, error, loadMore }} />
    </>
  )
}

/** The line opens. All of the ask is read when that is first wanted. */
function HistoryLine({ entry: { ask, project, sessionTitle, machine } }: { entry: HistoryEntry }) {
  const [isWanted, setIsWanted] = useState(false)
  if (!ask.outcome) return null
  return (
    <li className="text-sm">
      <details onToggle={({ currentTarget }) => currentTarget.open && setIsWanted(true)} className="group/line px-4">
        <summary className="-mx-4 flex min-h-11 cursor-pointer list-none items-start gap-2 px-4 pt-2.5 pb-1 pointer-fine:min-h-0 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent [&::-webkit-details-marker]:hidden">
          <div className="min-w-0 flex-1">
            <SettledAskLine ask={ask} outcome={ask.outcome} />
          </div>
          <ChevronDown
            aria-hidden
            className="mt-0.5 size-4 shrink-0 text-faint transition-transform motion-reduce:transition-none group-open/line:rotate-180"
          />
        </summary>
        {isWanted && <HistoryDetail id={ask.id} />}
      </details>
      <OutcomeRules outcome={ask.outcome} className="px-4 pl-9.5" />
      <Link
        href={`/sessions/${ask.sessionId}`}
        className="-mt-2 mr-4 ml-9.5 flex min-h-11 max-w-full items-center truncate rounded text-xs text-quiet underline-offset-2 hover:underline focus-visible:outline-2 focus-visible:outline-accent pointer-fine:mt-0 pointer-fine:mb-1 pointer-fine:min-h-6"
      >
        <VisibleText
          text={[
            sessionTitle,
            projectName({ agent: ask.agent, cwd: project === '' ? undefined : project }),
            machine && pastMachineName(machine),
          ]
            .filter((part) => part !== undefined)
            .join(' · ')}
        />
      </Link>
    </li>
  )
}
