import { useLink } from '@holdpoint/react/hooks/use-link'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { ChangedFiles, ChangesSince } from '@holdpoint/schema/changed-files'
import type { Session } from '@holdpoint/schema/session'
import { RotateCw, X } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Notice } from '../parts/notice.tsx'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { count } from '../text/count.ts'
import { ChangedFileRow } from './changed-file-row.tsx'
import { CommentBar } from './comment-bar.tsx'
import { useComments } from './use-comments.ts'

const SINCE = [
  { since: 'start', name: 'Since the start' },
  { since: 'message', name: 'Since the last message' },
] as const

export interface ChangesPaneProps {
  readonly session: Session
  /** Whether this person may write to the agent: then lines can be commented on. */
  readonly mayWrite: boolean
  onClose(): void
}

/** What a session has changed in its folder, file by file. */
export function ChangesPane({ session, mayWrite, onClose }: ChangesPaneProps) {
  const client = useClient()
  const { state: link } = useLink()
  const [since, setSince] = useState<ChangesSince>('start')
  const read = useCallback(() => client.changes(session.id, since), [client, session.id, since])
  const { remote, again } = useRemote(read)
  const comments = useComments(session.id)
  // A turn that begins or ends is when files are others; in between there is the button.
  useEffect(() => {
    if (session.stateChangedAt > 0 && link === 'live') again()
  }, [session.stateChangedAt, link, again])

  return (
    <section aria-label="Changed files" className="flex min-h-0 flex-1 flex-col bg-bg">
      <div className="flex shrink-0 flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 desk:px-4">
        <h2 className="mr-auto text-sm font-medium">Changed files</h2>
        <IconButton icon={RotateCw} label="Look again" onClick={again} className="order-2" />
        <IconButton icon={X} label="Close changed files" onClick={onClose} className="order-2" />
        <fieldset
          aria-label="Compare with"
          className="order-3 -ml-2 flex basis-full gap-1 sm:order-1 sm:ml-0 sm:basis-auto"
        >
          {SINCE.map((each) => (
            <button
              key={each.since}
              type="button"
              aria-pressed={since === each.since}
              onClick={() => setSince(each.since)}
              className="min-h-11 rounded-lg px-3 text-sm text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent aria-pressed:bg-panel aria-pressed:font-medium aria-pressed:text-ink pointer-fine:min-h-8"
            >
              {each.name}
            </button>
          ))}
        </fieldset>
      </div>
      <div className="min-h-0 flex-1 overflow-auto px-3 py-3 desk:px-4">
        <RemoteView remote={remote} again={again}>
          {(changes) => (
            <FileList
              key={since}
              changes={changes}
              {...{ session, since }}
              comments={mayWrite ? comments : undefined}
            />
          )}
        </RemoteView>
      </div>
      {mayWrite && <CommentBar session={session} comments={comments} />}
    </section>
  )
}

interface FileListProps {
  readonly changes: ChangedFiles
  readonly session: Session
  readonly since: ChangesSince
  readonly comments: ReturnType<typeof useComments> | undefined
}

function FileList({ changes, session, since, comments }: FileListProps) {
  const { files, more, remarks, endedAt } = changes
  const added = files.reduce((sum, file) => sum + (file.added ?? 0), 0)
  const removed = files.reduce((sum, file) => sum + (file.removed ?? 0), 0)
  return (
    <div className="grid gap-3">
      {remarks.length > 0 && (
        <Notice tone="plain">
          {remarks.map((remark) => (
            <p key={remark}>{remark}</p>
          ))}
        </Notice>
      )}
      {files.length === 0 ? (
        <p className="py-8 text-center text-sm text-quiet">
          {since === 'start'
            ? 'No file has changed since the session began.'
            : 'No file has changed since the last message.'}
          <span className="mt-1 block text-faint">Files that .gitignore leaves out are not looked at.</span>
        </p>
      ) : (
        <>
          <p className="flex flex-wrap gap-x-2 text-xs text-quiet">
            {count(files.length + more, 'file')}
            <span className="font-mono text-allow tabular-nums">+{added}</span>
            <span className="font-mono text-deny tabular-nums">−{removed}</span>
            {endedAt !== undefined && <span>as the session left them</span>}
          </p>
          <ul className="overflow-hidden rounded-lg border border-line bg-card">
            {files.map((file) => (
              <ChangedFileRow key={file.path} {...{ file, changes, since, comments }} sessionId={session.id} />
            ))}
          </ul>
          {more > 0 && <p className="text-sm text-quiet">{count(more, 'more file')} changed. Too many to list.</p>}
        </>
      )}
    </div>
  )
}
