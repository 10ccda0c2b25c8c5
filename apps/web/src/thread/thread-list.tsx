import type { ThreadState } from '@holdpoint/client/gateway-client'
import { Button } from '@holdpoint/react/ui/button'
import type { ItemId, SessionId } from '@holdpoint/schema/id'
import { ArrowDown, CircleDashed } from 'lucide-react'
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { VList, type VListHandle } from 'virtua'
import { ThreadRow } from './thread-row.tsx'
import { partialRows, type Row, threadRows } from './thread-rows.ts'
import { useStickToBottom } from './use-stick-to-bottom.ts'
import { wayToItem } from './way-to-item.ts'

/** How near to the top the next older page is asked for. */
const OLDER_FROM = 600

export interface ThreadListHandle {
  /** Opens what an item is folded in, and brings it into sight. It has to be loaded. */
  show(id: ItemId): void
}

export interface ThreadListProps {
  readonly ref?: Ref<ThreadListHandle>
  readonly thread: Pick<ThreadState, 'items' | 'asks' | 'partial' | 'hasOlder' | 'loadingOlder'>
  /** The same function from one rendering to the next. */
  loadOlder(): Promise<void>
  /** The agent works on nothing: what has no result will get none. */
  readonly isIdle: boolean
  /** Paths are shown relative to this folder. */
  readonly folder: string
  /** Whose thread it is; left out for a conversation of elsewhere. */
  readonly sessionId?: SessionId | undefined
  /** Instead of rows, where there are none. */
  readonly empty: ReactNode
  /** Goes to the ask that waits below. */
  onGoToAsk(): void
  /** Ctrl-F with the focus in the thread: the browser's own search finds only what is drawn. Left out: it has that key, too. */
  onFind?: (() => void) | undefined
}

/** Everything that was said and done, newest at the bottom. Only what is in sight is in the page. */
export function ThreadList(props: ThreadListProps) {
  const { ref, thread, loadOlder, isIdle, folder, sessionId, empty, onGoToAsk, onFind } = props
  const { items, asks, partial, hasOlder, loadingOlder } = thread
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set())
  const settledRows = useMemo(() => threadRows({ items, asks }, (key) => expanded.has(key)), [items, asks, expanded])
  const rows = useMemo(() => [...settledRows, ...partialRows(partial)], [settledRows, partial])
  const list = useRef<VListHandle>(null)
  const { isAtEnd, onScroll, onResize, jumpToEnd, letGo, personHandlers } = useStickToBottom(list, rows)
  const toggle = useCallback(
    (row: Row) => {
      letGo()
      setExpanded((keys) => toggled(keys, row))
    },
    [letGo],
  )
  const shift = usePrepended(rows)

  const [wanted, setWanted] = useState<{ readonly id: ItemId }>()
  /** The row that was looked for. It is gone to once it is drawn: what it was folded in is opened first. */
  const [found, setFound] = useState<{ readonly row: string }>()
  useImperativeHandle(ref, () => ({ show: (id) => setWanted({ id }) }), [])
  useEffect(() => {
    // What was just loaded may be drawn a moment later.
    const way = wanted && wayToItem({ items, asks }, wanted.id)
    if (!way) return
    letGo()
    setWanted(undefined)
    setExpanded((keys) => new Set([...keys, ...way.open]))
    setFound({ row: way.row })
  }, [wanted, items, asks, letGo])
  const drawn = useRef(rows)
  useLayoutEffect(() => {
    drawn.current = rows
  })
  useEffect(
    () => (found ? bringIntoSight(list, () => drawn.current.findIndex(({ key }) => key === found.row)) : undefined),
    [found],
  )

  const loadWhenNear = useCallback(
    (offset: number) => {
      if (hasOlder && !loadingOlder && offset < OLDER_FROM) void loadOlder()
    },
    [hasOlder, loadingOlder, loadOlder],
  )
  // A page that does not fill the screen cannot be scrolled: then the next one is wanted at once.
  useEffect(() => {
    const handle = list.current
    if (handle && rows.length > 0 && handle.scrollSize <= handle.viewportSize + OLDER_FROM) loadWhenNear(0)
  }, [rows, loadWhenNear])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl-F is a key of the thread inside.
    <div
      {...personHandlers}
      onKeyDown={(event) => {
        if (!onFind || event.key !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
        event.preventDefault()
        onFind()
      }}
      className="relative min-h-0 flex-1"
    >
      {loadingOlder && (
        <p role="status" className="pointer-events-none absolute inset-x-0 top-2 z-10 flex justify-center">
          <span className="flex items-center gap-2 rounded-full border border-line bg-card px-3 py-1 text-xs text-quiet shadow-card">
            <CircleDashed aria-hidden className="size-3.5 animate-spin motion-reduce:animate-none" />
            Loading earlier entries
          </span>
        </p>
      )}
      {rows.length === 0 ? (
        <p className="mx-auto max-w-3xl px-4 py-8 text-sm text-quiet">{empty}</p>
      ) : (
        <VList
          ref={list}
          data={rows}
          shift={shift}
          onScroll={(offset) => {
            onScroll(offset)
            loadWhenNear(offset)
          }}
          onResize={onResize}
          role="region"
          aria-label="Thread"
          tabIndex={0}
          className="pt-4 pb-4 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
        >
          {(row) => (
            <ThreadRow
              key={row.key}
              row={row}
              isIdle={isIdle}
              folder={folder}
              sessionId={sessionId}
              expanded={expanded.has(row.key)}
              isFound={row.key === found?.row}
              onToggle={toggle}
              onGoToAsk={onGoToAsk}
            />
          )}
        </VList>
      )}
      {!isAtEnd && rows.length > 0 && (
        <div ref={leaveFocusToThread} className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button icon={ArrowDown} onClick={jumpToEnd} className="pointer-events-auto rounded-full shadow-lift">
            Jump to latest
          </Button>
        </div>
      )}
    </div>
  )
}

const FRAMES = 60
const AGAIN_EVERY = 10

/**
 * Scrolls to a row until it is there: the rows around it are measured once they are drawn, and on a busy machine the list may
 * have given up by then. Gives what calls it off.
 */
function bringIntoSight(list: RefObject<VListHandle | null>, indexOf: () => number): () => void {
  let frame = 0
  let frames = 0
  let seen = 0
  function look() {
    const handle = list.current
    const index = indexOf()
    // Twice in sight: from then on the person may scroll away.
    if (!handle || index < 0 || frames > FRAMES || seen === 2) return
    const from = handle.getItemOffset(index) - handle.scrollOffset
    const isInSight = frames > 0 && from + handle.getItemSize(index) > 0 && from < handle.viewportSize
    if (frames % AGAIN_EVERY === 0) {
      if (isInSight) seen++
      else handle.scrollToIndex(index, { align: 'center' })
    }
    frames++
    frame = requestAnimationFrame(look)
  }
  look()
  return () => cancelAnimationFrame(frame)
}

/** To close a fold is to close what was opened in it: else it would stay open. */
function toggled(keys: ReadonlySet<string>, row: Row): ReadonlySet<string> {
  const next = new Set(keys)
  if (row.kind === 'folded' && row.isOpen) for (const key of [row.key, ...row.inside]) next.delete(key)
  else if (!next.delete(row.key)) next.add(row.key)
  return next
}

/** An element that is removed while focused gives the focus to the thread, or else it would go to the top of the page. */
function leaveFocusToThread(element: HTMLElement | null) {
  return () => {
    if (element?.contains(document.activeElement)) focusThread(element.parentElement)
  }
}

export function focusThread(within: ParentNode | null) {
  within?.querySelector<HTMLElement>('[aria-label="Thread"]')?.focus({ preventScroll: true })
}

/** Whether rows were put before those of the last time: then the list keeps its distance to the end, not to the top. */
function usePrepended(rows: readonly Row[]): boolean {
  const last = useRef<{ rows: readonly Row[]; shift: boolean }>({ rows, shift: false })
  if (last.current.rows !== rows) {
    const oldFirst = last.current.rows[0]?.key
    const isPrepended = oldFirst !== undefined && rows[0]?.key !== oldFirst && rows.some((row) => row.key === oldFirst)
    last.current = { rows, shift: isPrepended }
  }
  return last.current.shift
}
