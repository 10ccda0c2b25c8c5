import { useThread } from '@holdpoint/react/hooks/use-thread'
import { MessagesSquare, SquareTerminal } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Skeleton } from '../parts/skeleton.tsx'
import { useIsWide } from '../parts/use-is-wide.ts'
import { ThreadView, type ThreadViewProps } from '../thread/thread-view.tsx'

const TerminalPlace = lazy(() =>
  import('../terminal/terminal-place.tsx').then((place) => ({ default: place.TerminalPlace })),
)

const PANES = [
  { pane: 'terminal', name: 'Terminal', icon: SquareTerminal },
  { pane: 'thread', name: 'Thread', icon: MessagesSquare },
] as const

/** The terminal of a session and what was said in it: side by side where there is room, one at a time elsewhere. */
export function SessionPanes(props: ThreadViewProps) {
  const { session } = props
  const [chosen, setChosen] = useState<'terminal' | 'thread'>(session.state === 'dead' ? 'thread' : 'terminal')
  const isWide = useIsWide()
  // Programs other than coding agents say nothing: their terminal gets all the room.
  const isSilent = useThread(session.id).items.length === 0
  const isBoth = isWide && !isSilent
  // A search is of the thread.
  const showsTerminal = isBoth || isSilent || (chosen === 'terminal' && !props.isSearching)
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {!isBoth && !isSilent && (
        <fieldset aria-label="Show" className="flex shrink-0 gap-1 border-b border-line px-2 py-1 desk:px-6">
          {PANES.map(({ pane, name, icon: Icon }) => (
            <button
              key={pane}
              type="button"
              aria-pressed={chosen === pane}
              onClick={() => setChosen(pane)}
              className="flex min-h-11 items-center gap-2 rounded-lg px-3 text-sm text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent aria-pressed:bg-panel aria-pressed:font-medium aria-pressed:text-ink pointer-fine:min-h-8"
            >
              <Icon aria-hidden className="size-4" />
              {name}
            </button>
          ))}
        </fieldset>
      )}
      <div className="flex min-h-0 flex-1">
        {(isBoth || !showsTerminal) && (
          <div className="flex min-w-0 flex-[2_1_0%] flex-col">
            <ThreadView {...props} />
          </div>
        )}
        {showsTerminal && (
          <div className={`flex min-w-0 flex-[3_1_0%] flex-col ${isBoth ? 'border-l border-line' : ''}`}>
            <Suspense fallback={<Skeleton rows={1} className="h-12" />}>
              <TerminalPlace session={session} />
            </Suspense>
          </div>
        )}
      </div>
    </div>
  )
}
