import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Button } from '@holdpoint/react/ui/button'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import { ChevronDown, ChevronUp, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { LineComment } from './comment-text.ts'
import { type DiffPlace, isGone, numberOf } from './diff-places.ts'

/** A comment below its line. */
export function CommentNote({ comment, onRemove }: { comment: LineComment; onRemove(): void }) {
  return (
    <div className="flex items-start gap-2 border-y border-line bg-accent-bg py-1 pr-1 pl-3 font-sans text-sm">
      <p className="min-w-0 flex-1 py-1 wrap-anywhere whitespace-pre-wrap">
        <VisibleText text={comment.comment} />
      </p>
      <IconButton icon={Trash2} label={`Remove the comment on line ${numberOf(comment)}`} onClick={onRemove} />
    </div>
  )
}

interface CommentEditorProps {
  readonly place: DiffPlace
  /** What is written, while the editor moves from line to line. */
  readonly draft: RefObject<string>
  /** To the line above and below. */
  readonly onUp: (() => void) | undefined
  readonly onDown: (() => void) | undefined
  onAdd(text: string): void
  onCancel(): void
}

/** Where a comment is written, below its line. It can be moved: a finger does not hit a line that is this low. */
export function CommentEditor({ place, draft, onUp, onDown, onAdd, onCancel }: CommentEditorProps) {
  const id = useId()
  const box = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(draft.current)
  const isEmpty = text.trim() === ''
  useEffect(() => box.current?.focus(), [])
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onCancel()
    }
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && !isEmpty) {
      event.preventDefault()
      onAdd(text.trim())
    }
  }
  return (
    <div className="grid gap-2 border-y border-accent bg-card p-2 font-sans text-sm">
      <div className="flex items-center gap-1">
        <label htmlFor={id} className="mr-auto text-quiet">
          {isGone(place) ? 'Removed line' : 'Line'} {numberOf(place)}
        </label>
        <IconButton icon={ChevronUp} label="The line above" off={!onUp} onClick={onUp} />
        <IconButton icon={ChevronDown} label="The line below" off={!onDown} onClick={onDown} />
      </div>
      <textarea
        ref={box}
        id={id}
        value={text}
        rows={2}
        onChange={(event) => {
          draft.current = event.target.value
          setText(event.target.value)
        }}
        onKeyDown={onKeyDown}
        placeholder="What should the agent do about it?"
        className="w-full rounded-lg border border-line bg-bg px-2.5 py-2 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent pointer-fine:text-sm"
      />
      <div className="flex gap-2">
        <Button variant="primary" off={isEmpty} why="Write something first." onClick={() => onAdd(text.trim())}>
          Add comment
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </div>
  )
}
