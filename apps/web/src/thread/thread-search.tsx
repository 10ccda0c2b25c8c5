import { VisibleText } from '@holdpoint/react/text/visible-text'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { SearchField } from '../parts/search-field.tsx'
import { type ThreadSearchState, useThreadSearch } from './use-thread-search.ts'

export interface ThreadSearchProps {
  readonly sessionId: SessionId
  /** Brings an entry into sight, loading what is before it. Says whether it is there. */
  onGo(id: ItemId): Promise<boolean>
  onClose(): void
}

/** A search through the whole thread, on screen or not, loaded or not. The newest comes first: Enter goes back in time. */
export function ThreadSearch({ sessionId, onGo, onClose }: ThreadSearchProps) {
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const search = useThreadSearch(sessionId, words)
  const { found } = search
  const [at, setAt] = useState(-1)
  const [isGoing, setGoing] = useState(false)
  useEffect(() => field.current?.focus(), [])

  async function go(step: 1 | -1) {
    if (found.length === 0 || isGoing) return
    const next = at < 0 && step < 0 ? found.length - 1 : (at + step + found.length) % found.length
    const hit = found[next]
    if (!hit) return
    setAt(next)
    setGoing(true)
    await onGo(hit.id).catch(() => false)
    setGoing(false)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onClose()
    }
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.target !== field.current) return
    event.preventDefault()
    void go(event.shiftKey ? -1 : 1)
  }
  const hit = found[at]
  return (
    <search className="shrink-0 border-b border-line bg-panel" onKeyDown={onKeyDown}>
      <div className="mx-auto flex max-w-3xl items-center gap-1 px-4 py-1.5">
        <div className="min-w-0 flex-1">
          <SearchField
            ref={field}
            words={words}
            onChange={(next) => {
              setWords(next)
              setAt(-1)
            }}
            label="Search this thread"
            placeholder="Search this thread"
          />
        </div>
        <p role="status" className="shrink-0 px-1 text-[13px] text-quiet tabular-nums">
          {words.trim() !== '' && countWords(search, at, isGoing)}
        </p>
        <IconButton icon={ChevronUp} label="Older" off={found.length === 0} onClick={() => void go(1)} />
        <IconButton icon={ChevronDown} label="Newer" off={found.length === 0} onClick={() => void go(-1)} />
        <IconButton icon={X} label="Close the search" onClick={onClose} />
      </div>
      {(hit || search.failure) && (
        <p className="mx-auto max-w-3xl truncate px-4 pb-1.5 text-[13px] text-quiet">
          {search.failure ?? <VisibleText text={hit?.excerpt ?? ''} />}
        </p>
      )}
    </search>
  )
}

function countWords({ found, busy, isCut }: ThreadSearchState, at: number, isGoing: boolean): string {
  if (isGoing) return 'Loading…'
  const all = `${found.length.toLocaleString('en')}${isCut ? '+' : ''}`
  if (at >= 0) return `${at + 1} of ${all}`
  if (busy) return found.length === 0 ? 'Searching…' : `${all} found…`
  return found.length === 0 ? 'Not found' : `${all} found`
}
