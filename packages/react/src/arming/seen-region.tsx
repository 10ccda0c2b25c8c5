import { render } from '@holdpoint/core/text/visible-text'
import { Maximize2 } from 'lucide-react'
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { isPointInSight, useZoomedIn } from './in-sight.ts'
import { JumpToEnd } from './jump-to-end.tsx'

export interface SeenRegionProps {
  readonly label: string
  /** Compared by identity. When it changes, the end must be seen again. */
  readonly content: unknown
  /** Whether there is more to come below the end: what is there then is not the end. */
  readonly incomplete?: boolean
  readonly maxHeight?: string
  /**
   * Has a frame only while there is something to scroll or to say: content that is a part of its card. Other content can be
   * opened over the whole window where it scrolls.
   */
  readonly frameless?: boolean
  readonly className?: string
  /** A line above that stays while the content scrolls. */
  readonly head?: ReactNode
  /** A line below, about the size of the content. */
  readonly footer?: ReactNode
  readonly children: ReactNode
  /** Called once per content, when its end has been on screen. */
  onEndSeen?(): void
}

const LOOK_AGAIN_MS = 200

/** Counts the unfinished parts of a region: +1 when one begins, -1 when it is drawn or removed. */
const UnfinishedContext = createContext<((change: 1 | -1) => void) | undefined>(undefined)

/** Tells the enclosing regions that this part is not fully drawn yet, so that their end is not the real end. */
export function useUnfinished(unfinished: boolean) {
  const count = useContext(UnfinishedContext)
  useLayoutEffect(() => {
    if (!unfinished || !count) return
    count(1)
    return () => count(-1)
  }, [unfinished, count])
}

/** Content that scrolls inside when it is long, and knows whether its end was really shown. */
export function SeenRegion({
  label,
  content,
  incomplete = false,
  maxHeight = 'min(60dvh, 34rem)',
  frameless = false,
  className = '',
  head,
  footer,
  children,
  onEndSeen,
}: SeenRegionProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  const [tooWide, setTooWide] = useState(false)
  const [fills, setFills] = useState(false)
  const zoomed = useZoomedIn()
  const [seenContent, setSeenContent] = useState<{ content: unknown }>()
  const seen = seenContent?.content === content
  const [inside, setInside] = useState(0)
  const [countInside] = useState(() => (change: 1 | -1) => setInside((before) => before + change))
  const unfinished = incomplete || inside > 0
  useUnfinished(unfinished)
  const tell = useRef(onEndSeen)
  useLayoutEffect(() => {
    tell.current = onEndSeen
  })

  function markSeen() {
    setSeenContent({ content })
    tell.current?.()
  }

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element || typeof ResizeObserver === 'undefined') return
    const measure = () => {
      setScrolls(element.scrollHeight > element.clientHeight + 1)
      setTooWide(isTooWide(element))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])

  const watched = onEndSeen !== undefined && !unfinished && !seen
  useEffect(() => {
    const target = end.current
    if (!watched || !target) return
    let again: ReturnType<typeof setTimeout> | undefined
    let unseen: readonly Corner[] = ['left', 'right']
    const look = () => {
      clearTimeout(again)
      unseen = unseen.filter((corner) => !isSeen(target, corner))
      if (unseen.length === 0 && !(target.parentElement && isTooWide(target.parentElement))) {
        setSeenContent({ content })
        tell.current?.()
      } else again = setTimeout(look, LOOK_AGAIN_MS)
    }
    // Seen from the viewport, so that every scrolling box around it counts, this region's own too.
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(again)
      if (entries.at(-1)?.isIntersecting) look()
    })
    observer.observe(target)
    return () => {
      observer.disconnect()
      clearTimeout(again)
    }
  }, [watched, content])

  const isTold = onEndSeen !== undefined && (scrolls || tooWide || zoomed)
  const mayFill = !frameless && scrolls
  return (
    <div
      data-end={onEndSeen && (seen ? 'seen' : 'unseen')}
      // Isolated: its head that stays must not cover the buttons that stay below it.
      className={`isolate min-w-0 overflow-hidden rounded-lg border ${frameOf(frameless, isTold)} ${className}`}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields, and a landmark for each block is noise. */}
      <div
        ref={scroller}
        role="group"
        aria-label={render(label)}
        tabIndex={scrolls ? 0 : undefined}
        className="relative overflow-auto focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent"
        style={{ maxHeight }}
      >
        {(head || mayFill) && (
          <div className="sticky top-0 z-10 flex items-center gap-x-3 border-b border-line bg-panel px-3 py-1.5 text-[12.5px]">
            <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
              {head || <span className="text-faint">{render(label)}</span>}
            </div>
            {mayFill && (
              <IconButton
                icon={Maximize2}
                label="Full screen"
                onClick={() => setFills(true)}
                className="-my-2 -mr-2.5 pointer-fine:-my-1.5"
              />
            )}
          </div>
        )}
        <div className="min-w-0">
          <UnfinishedContext value={countInside}>{children}</UnfinishedContext>
        </div>
        <div ref={end} aria-hidden className="-mt-px h-px w-full" />
      </div>
      {(footer || isTold) && (
        <p className="flex flex-wrap items-center justify-between gap-x-3 border-t border-line px-3 py-1 text-xs text-quiet">
          <span>{footer}</span>
          {isTold && (
            // Zoomed in, the right end of a line is out of sight.
            <span
              data-seen={seen}
              className={`${seen ? '' : 'font-medium text-wait'} ${zoomed ? 'order-first basis-full' : ''}`}
            >
              {seen ? 'Seen to the end' : leftToDo({ unfinished, tooWide, zoomed })}
            </span>
          )}
        </p>
      )}
      {mayFill && (
        <Dialog
          full
          open={fills}
          onClose={() => setFills(false)}
          title={render(label)}
          aside={onEndSeen && !seen && <JumpToEnd />}
        >
          <SeenRegion
            label={label}
            content={content}
            incomplete={incomplete}
            maxHeight="100%"
            frameless
            className="flex max-h-full flex-col"
            head={head}
            footer={footer}
            {...(onEndSeen && { onEndSeen: markSeen })}
          >
            {children}
          </SeenRegion>
        </Dialog>
      )}
    </div>
  )
}

function frameOf(frameless: boolean, isTold: boolean): string {
  if (!frameless) return 'border-line bg-code'
  return isTold ? 'border-line' : 'border-transparent'
}

interface Left {
  readonly unfinished: boolean
  readonly tooWide: boolean
  readonly zoomed: boolean
}

function leftToDo({ unfinished, tooWide, zoomed }: Left): string {
  if (unfinished) return 'Not all seen yet: show more'
  if (zoomed) return 'Zoom out, or move to both ends of the last line'
  return tooWide ? 'Not all seen yet: make this window wider' : 'Not all seen yet'
}

/** What is wider than its box is out of sight to the right, however far down somebody scrolls (T73). */
function isTooWide(scroller: Element): boolean {
  return scroller.scrollWidth > scroller.clientWidth + 1
}

/** Zoomed in, one of them may be on screen and the other not: then both have to have been there, in turn. */
type Corner = 'left' | 'right'

/** Whether the lower corner of the content is on screen, and not under a sticky bar, a dialog or another tab. */
function isSeen(end: HTMLElement, corner: Corner): boolean {
  const { left, right, top } = end.getBoundingClientRect()
  // A little inside: at the very edge, rounding may hit what is beyond.
  const point = { x: corner === 'left' ? left + 8 : right - 8, y: top - 2 }
  return end.parentElement !== null && isPointInSight(end.parentElement, point)
}
