import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import type { UsageReport } from '@holdpoint/schema/endpoints/usage'
import type { Usage } from '@holdpoint/schema/usage'
import { type ReactNode, useCallback, useState } from 'react'
import { Link } from 'wouter'
import { Choice } from '../parts/choice.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { costWords, shortCount, tokenWords } from './usage-words.ts'

const SPANS = [
  { value: '1', label: 'Today' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
type Span = (typeof SPANS)[number]['value']

const DAY = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** What agents have used, as they report it. */
export function UsagePage() {
  const client = useClient()
  const [span, setSpan] = useState<Span>('30')
  const { remote, again } = useRemote(
    useCallback(
      () => client.usage({ days: Number(span), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
      [client, span],
    ),
  )
  return (
    <Page
      title="Usage"
      intro="As agents report it. A cost is the agent’s own estimate, not a bill. Agents in terminals and in other programs report nothing here."
    >
      <Choice legend="Time" name="span" inline value={span} options={SPANS} onChange={setSpan} />
      <RemoteView remote={remote} again={again}>
        {(report) => <Report report={report} />}
      </RemoteView>
    </Page>
  )
}

function Report({ report: { total, days, projects, sessions } }: { report: UsageReport }) {
  if (days.length === 0) return <Notice>No agent has reported any use in this time.</Notice>
  return (
    <>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure name="Cost" value={costWords(total)} />
        <Figure name="Input tokens" value={shortCount(total.inputTokens)} />
        <Figure name="Output tokens" value={shortCount(total.outputTokens)} />
        <Figure name="Cache tokens" value={shortCount(total.cacheReadTokens + total.cacheWriteTokens)} />
      </div>
      <Panel title="Days">
        <Rows rows={days.toReversed().map(({ day, used }) => ({ key: day, name: DAY.format(new Date(day)), used }))} />
      </Panel>
      <Panel title="Projects">
        <Rows
          rows={projects.map(({ project, used }) => ({
            key: project,
            name: <VisibleText text={project} code />,
            used,
          }))}
        />
      </Panel>
      <Panel title={sessions.length < 50 ? 'Sessions' : 'The 50 most expensive sessions'}>
        <Rows
          rows={sessions.map(({ id, title, used }) => ({
            key: id,
            name:
              title === undefined ? (
                'A session whose record is gone'
              ) : (
                <Link
                  href={`/sessions/${id}`}
                  className="underline decoration-line underline-offset-2 hover:decoration-current focus-visible:outline-2 focus-visible:outline-accent"
                >
                  <VisibleText text={title} />
                </Link>
              ),
            used,
          }))}
        />
      </Panel>
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="rounded-xl border border-line bg-card px-4 py-3 shadow-card">
      <p className="text-xs text-quiet">{name}</p>
      <p className="mt-0.5 text-lg font-semibold tabular-nums">{value}</p>
    </div>
  )
}

interface UsageRow {
  readonly key: string
  readonly name: ReactNode
  readonly used: Usage
}

/** So many are in sight before somebody asks for all. */
const FIRST_ROWS = 7

/** Each with its share of the largest, so that the eye finds what is expensive. */
function Rows({ rows }: { rows: readonly UsageRow[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const weightOf = ({ costUsd, inputTokens, outputTokens }: Usage) => costUsd ?? (inputTokens + outputTokens) / 1e9
  const most = Math.max(...rows.map(({ used }) => weightOf(used)), Number.MIN_VALUE)
  return (
    <>
      <ul className="-my-1 flex flex-col">
        {rows.slice(0, showsAll ? undefined : FIRST_ROWS).map(({ key, name, used }) => (
          <li key={key} className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 py-1.5 text-sm">
            <span className="min-w-0 wrap-anywhere">{name}</span>
            <span className="text-right tabular-nums">
              <span className="font-medium">{costWords(used)}</span>
              <span className="block text-xs text-quiet">{tokenWords(used)}</span>
            </span>
            <span aria-hidden className="col-span-2 mt-1 h-1 overflow-hidden rounded-full bg-panel">
              <span
                className="block h-full rounded-full bg-accent"
                style={{ width: `${Math.max(0.5, (weightOf(used) / most) * 100)}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
      {!showsAll && rows.length > FIRST_ROWS && (
        <Button onClick={() => setShowsAll(true)} className="self-start">
          Show all {rows.length}
        </Button>
      )}
    </>
  )
}
