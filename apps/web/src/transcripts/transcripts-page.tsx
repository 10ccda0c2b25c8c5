import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import type { Transcript } from '@holdpoint/schema/endpoints/transcripts'
import type { NodeId } from '@holdpoint/schema/id'
import { useState } from 'react'
import { Link } from 'wouter'
import { MachineSelect } from '../machines/machine-select.tsx'
import { whyAway } from '../machines/machine-words.ts'
import { thisMachine, useMachineChoice } from '../machines/use-machine-choice.ts'
import { FailureNotice } from '../parts/failure-notice.tsx'
import { Page } from '../parts/page.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useSettled } from '../parts/use-settled.ts'
import { fileSize } from './file-size.ts'
import { useTranscripts } from './use-transcripts.ts'

/** Every conversation that Claude Code had on one machine, wherever it was started. */
export function TranscriptsPage() {
  const [words, setWords] = useState('')
  const folder = useSettled(words.trim())
  const { machines, chosen: machine, choose } = useMachineChoice(thisMachine)
  const { remote, again, loadMore, loadingMore, moreFailure } = useTranscripts(folder, machine?.id)
  return (
    <Page
      title="Past sessions"
      intro={`Conversations of Claude Code on ${machine ? 'one machine' : 'the gateway’s machine'}, wherever they were started. Newest first.`}
    >
      {machine && <MachineSelect machines={machines} value={machine} whyNot={whyAway} onChange={choose} />}
      <SearchField words={words} onChange={setWords} label="Search by folder" placeholder="Part of a folder’s path" />
      <RemoteView remote={remote} again={again}>
        {({ transcripts, next }) =>
          transcripts.length === 0 ? (
            <p className="text-quiet">{folder === '' ? 'There are none yet.' : 'No folder matches.'}</p>
          ) : (
            <>
              <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-card shadow-card">
                {transcripts.map((transcript) => (
                  <TranscriptLine key={transcript.id} transcript={transcript} node={machine?.id} />
                ))}
              </ul>
              <FailureNotice why={moreFailure} />
              {next !== undefined && (
                <Button busy={loadingMore} onClick={() => void loadMore()}>
                  Show older ones
                </Button>
              )}
            </>
          )
        }
      </RemoteView>
    </Page>
  )
}

function TranscriptLine({ transcript, node }: { transcript: Transcript; node: NodeId | undefined }) {
  const { id, title, cwd, modifiedAt, size } = transcript
  return (
    <li>
      <Link
        href={`/past/${encodeURIComponent(id)}${node === undefined ? '' : `?machine=${node}`}`}
        state={transcript}
        className="flex min-h-14 flex-col justify-center px-4 py-2 transition-colors hover:bg-panel focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
      >
        <span className="truncate text-sm font-medium">
          <VisibleText text={title} />
        </span>
        <span className="flex min-w-0 items-baseline gap-1.5 text-xs text-quiet">
          <span className="min-w-0 truncate font-mono">
            <VisibleText text={cwd ?? 'unknown folder'} code />
          </span>
          <span aria-hidden>·</span>
          <span className="shrink-0">
            <Age since={modifiedAt} suffix=" ago" />
          </span>
          <span aria-hidden>·</span>
          <span className="shrink-0 tabular-nums">{fileSize(size)}</span>
        </span>
      </Link>
    </li>
  )
}
