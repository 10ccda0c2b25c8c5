import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { DiffView } from '@holdpoint/react/text/diff-view'
import { LineNotes } from '@holdpoint/react/text/line-notes'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import type { ChangedFile, ChangedFiles, ChangesSince } from '@holdpoint/schema/changed-files'
import type { SessionId } from '@holdpoint/schema/id'
import { ChevronRight, FileMinus, FilePen, FilePlus, MessageSquarePlus } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { RemoteView } from '../parts/remote-view.tsx'
import { useRemote } from '../parts/use-remote.ts'
import { CommentEditor, CommentNote } from './comment-note.tsx'
import { type DiffPlace, isSamePlace, placesIn } from './diff-places.ts'
import type { Comments } from './use-comments.ts'

const ICON = { added: FilePlus, changed: FilePen, deleted: FileMinus } as const
const COLOUR = { added: 'text-allow', changed: 'text-quiet', deleted: 'text-deny' } as const
const WORD = { added: 'new', changed: 'changed', deleted: 'deleted' } as const
const WHY = {
  large: 'This file is too large to be compared line by line.',
  binary: 'This file is not text (UTF-8), so it has no lines to compare.',
  'not-kept': 'This file has changed, but what was in it before was not kept.',
  'too-different': 'The two contents differ too much to be compared in time.',
} as const

interface ChangedFileRowProps {
  readonly sessionId: SessionId
  readonly file: ChangedFile
  /** The list that it is in: a new one may bring a new diff. */
  readonly changes: ChangedFiles
  readonly since: ChangesSince
  readonly comments: Comments | undefined
}

export function ChangedFileRow(props: ChangedFileRowProps) {
  const { file } = props
  const [isOpen, setIsOpen] = useState(false)
  const Icon = ICON[file.status]
  const cut = file.path.lastIndexOf('/') + 1
  return (
    <li className="border-t border-line first:border-t-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-11 w-full items-center gap-2 px-3 py-1.5 text-left text-[13px] hover:bg-panel focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent pointer-fine:min-h-9"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} />
        <Icon aria-hidden className={`size-4 shrink-0 ${COLOUR[file.status]}`} />
        <span className="min-w-0 flex-1 font-mono wrap-anywhere">
          {cut > 0 && <VisibleText text={file.path.slice(0, cut)} code className="text-quiet" />}
          <VisibleText text={file.path.slice(cut)} code className={file.status === 'deleted' ? 'line-through' : ''} />
        </span>
        <span className={file.status === 'changed' ? 'sr-only' : `shrink-0 text-xs ${COLOUR[file.status]}`}>
          {WORD[file.status]}
        </span>
        {file.kind === 'link' && <span className="shrink-0 text-xs text-quiet">link</span>}
        {file.executable !== undefined && (
          <span className="shrink-0 text-xs text-wait">{file.executable ? 'now executable' : 'not executable'}</span>
        )}
        <Lines file={file} />
      </button>
      {isOpen && (
        <div className="border-t border-line p-2">
          <OpenFile {...props} />
        </div>
      )}
    </li>
  )
}

function Lines({ file: { added, removed, why } }: { file: ChangedFile }) {
  if (added === undefined || removed === undefined)
    return why === undefined ? null : <span className="shrink-0 text-xs text-quiet">{SHORT[why]}</span>
  return (
    <span className="flex shrink-0 gap-1.5 font-mono text-xs tabular-nums">
      <span className="text-allow">
        <span className="sr-only">lines added </span>+{added}
      </span>
      <span className="text-deny">
        <span className="sr-only">lines removed </span>−{removed}
      </span>
    </span>
  )
}

const SHORT = { large: 'large', binary: 'binary', 'not-kept': 'no lines', 'too-different': 'no lines' } as const

function OpenFile({ sessionId, file, changes, since, comments }: ChangedFileRowProps) {
  const client = useClient()
  const { path } = file
  const read = useCallback(() => client.change(sessionId, since, path), [client, sessionId, since, path])
  const { remote, again } = useRemote(read)
  const [list, setList] = useState(changes)
  useEffect(() => {
    if (list === changes) return
    setList(changes)
    again()
  }, [list, changes, again])
  return (
    <RemoteView remote={remote} again={again}>
      {({ diff, file: now }) =>
        diff === undefined ? (
          <p className="px-1 py-2 text-sm text-quiet">{now.why && WHY[now.why]}</p>
        ) : (
          <FileDiffView {...{ diff, path, comments }} />
        )
      }
    </RemoteView>
  )
}

interface FileDiffViewProps {
  readonly diff: string
  readonly path: string
  readonly comments: Comments | undefined
}

/** A diff whose lines can be commented on: by their number, or by the button, for those without a mouse. */
function FileDiffView({ diff, path, comments }: FileDiffViewProps) {
  const [at, setAt] = useState<DiffPlace>()
  const places = useMemo(() => placesIn(diff), [diff])
  /** Outlives the move of the editor to another line. */
  const draft = useRef('')
  const close = useCallback(() => {
    draft.current = ''
    setAt(undefined)
  }, [])
  const notes = useMemo(() => {
    if (!comments) return undefined
    const index = at ? places.findIndex((place) => isSamePlace(place, at)) : -1
    return {
      onPick: matchMedia('(pointer: fine)').matches ? setAt : undefined,
      below(line: DiffPlace) {
        const here = comments.all.filter((each) => each.path === path && isSamePlace(each, line))
        return (
          <>
            {here.map((comment) => (
              <CommentNote key={comment.id} comment={comment} onRemove={() => comments.remove([comment])} />
            ))}
            {at && isSamePlace(at, line) && (
              <CommentEditor
                place={at}
                onUp={index > 0 ? () => setAt(places[index - 1]) : undefined}
                onDown={index < places.length - 1 ? () => setAt(places[index + 1]) : undefined}
                onCancel={close}
                draft={draft}
                onAdd={(comment) => {
                  comments.add({ ...at, path, comment })
                  close()
                }}
              />
            )}
          </>
        )
      },
    }
  }, [comments, at, places, path, close])
  const first = places.find(({ kind }) => kind !== 'same')
  return (
    <div className="grid gap-2">
      <LineNotes value={notes}>
        <DiffView diff={diff} filePath={path} wide={false} maxHeight="70dvh" />
      </LineNotes>
      {comments && first && !at && (
        <div>
          <Button variant="quiet" icon={MessageSquarePlus} onClick={() => setAt(first)}>
            Comment on a line
          </Button>
        </div>
      )}
    </div>
  )
}
