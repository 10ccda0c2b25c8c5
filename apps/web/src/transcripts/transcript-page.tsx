import { MachineName } from '@holdpoint/react/cards/machine-name'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { Age } from '@holdpoint/react/time/age'
import { Button } from '@holdpoint/react/ui/button'
import type { Ask } from '@holdpoint/schema/ask'
import type { NodeId } from '@holdpoint/schema/id'
import type { Session } from '@holdpoint/schema/session'
import { Play } from 'lucide-react'
import { useMemo } from 'react'
import { useSearch } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { useIsOwner } from '../account/me.tsx'
import { useStartSession } from '../new-session/use-start-session.ts'
import { LinkButton } from '../parts/link-button.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { RetryNotice } from '../parts/retry-notice.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { ThreadHeader } from '../parts/thread-header.tsx'
import { ThreadList } from '../thread/thread-list.tsx'
import { useTranscriptThread } from './use-transcript-thread.ts'

const NO_ASKS: ReadonlyMap<string, Ask> = new Map()
const NO_PARTIAL: ReadonlyMap<string, string> = new Map()
const DEFAULT_TITLE = 'Past session'

/** What was said and done in a past session, and a way to resume it. */
export function TranscriptPage({ id }: { id: string }) {
  const { title, cwd, modifiedAt } = useGiven(id)
  const node = machineIn(useSearch())
  const machine = useMachineOf(node && { node })
  usePageTitle(title)
  return (
    <div className="absolute inset-0 flex flex-col">
      <ThreadHeader
        back={{ href: '/past', label: 'Back to the past sessions', className: 'hover:text-ink pointer-fine:size-8' }}
        title={title}
        facts={
          <>
            <span className="shrink-0">past session</span>
            {machine && (
              <>
                <span aria-hidden>·</span>
                <MachineName machine={machine} />
              </>
            )}
            {modifiedAt !== undefined && (
              <>
                <span aria-hidden>·</span>
                <span className="shrink-0">
                  <Age since={modifiedAt} suffix=" ago" />
                </span>
              </>
            )}
            {cwd !== undefined && (
              <>
                <span aria-hidden>·</span>
                <span className="min-w-0 truncate font-mono">
                  <VisibleText text={cwd} code />
                </span>
              </>
            )}
          </>
        }
      />
      <TranscriptThreadView id={id} node={node} folder={cwd ?? '/'} />
      <ResumeBar id={id} node={node} />
    </div>
  )
}

/** An address can hold anything; what is not the id of a machine is refused by the gateway. */
function machineIn(search: string): NodeId | undefined {
  return (new URLSearchParams(search).get('machine') ?? undefined) as NodeId | undefined
}

interface PlacedProps {
  readonly id: string
  /** The machine that it is on. Left out: the gateway's own. */
  readonly node: NodeId | undefined
}

function TranscriptThreadView({ id, node, folder }: PlacedProps & { folder: string }) {
  const { state, message, items, hasOlder, loadingOlder, loadOlder, again } = useTranscriptThread(id, node)
  const thread = useMemo(
    () => ({ items, asks: NO_ASKS, partial: NO_PARTIAL, hasOlder, loadingOlder }),
    [items, hasOlder, loadingOlder],
  )
  if (state === 'ready') {
    return (
      <ThreadList
        thread={thread}
        loadOlder={loadOlder}
        isIdle
        folder={folder}
        empty="It has no messages."
        onGoToAsk={() => {}}
      />
    )
  }
  return (
    <div className="mx-auto min-h-0 w-full max-w-3xl flex-1 overflow-hidden px-4 py-6">
      {state === 'loading' ? <Skeleton rows={4} /> : <RetryNotice message={message} again={again} />}
    </div>
  )
}

/** One conversation runs once: where a session has it already, that is the place to go. */
function ResumeBar({ id, node }: PlacedProps) {
  const session = useGateway((state) => sessionWith(state.sessions.values(), id))
  const isOwner = useIsOwner()
  const { start, busy, failure } = useStartSession()
  const isAlive = session !== undefined && session.state !== 'dead'
  return (
    <section
      aria-label="Resume"
      className="shrink-0 border-t border-line bg-panel px-4 pt-3 pb-[calc(0.75rem+env(safe-area-inset-bottom))]"
    >
      <div className="mx-auto flex max-w-3xl flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60 text-sm">
          <p className="text-quiet">{wordsFor(session)}</p>
          {failure && (
            <p role="alert" className="mt-1 text-deny">
              {failure.message}
            </p>
          )}
        </div>
        {session && <LinkButton href={`/sessions/${session.id}`}>Open the session</LinkButton>}
        {isOwner && !isAlive && (
          <Button
            variant="primary"
            icon={Play}
            busy={busy}
            onClick={() => void start({ agent: 'claude', resumeTranscript: id, ...(node && { node }) })}
          >
            Resume here
          </Button>
        )}
      </div>
    </section>
  )
}

function wordsFor(session: Session | undefined): string {
  if (!session || session.state === 'dead')
    return 'Resume it here to continue in the same folder, as a Holdpoint session.'
  return session.attached ? 'It continues at its terminal.' : 'It continues as a Holdpoint session.'
}

/** The one that is alive, else the latest. */
function sessionWith(sessions: Iterable<Session>, vendorSessionId: string): Session | undefined {
  const own = [...sessions].filter((session) => session.vendorSessionId === vendorSessionId)
  return (
    own.find((session) => session.state !== 'dead') ?? own.sort((one, other) => other.startedAt - one.startedAt).at(0)
  )
}

/** What the list knew of it. An address that was typed in knows nothing. */
function useGiven(id: string): { title: string; cwd?: string; modifiedAt?: number } {
  const given: unknown = useHistoryState()
  return useMemo(() => {
    if (typeof given !== 'object' || given === null) return { title: DEFAULT_TITLE }
    const { id: givenId, title, cwd, modifiedAt } = given as Readonly<Record<string, unknown>>
    if (givenId !== id || typeof title !== 'string') return { title: DEFAULT_TITLE }
    return {
      title,
      ...(typeof cwd === 'string' && { cwd }),
      ...(typeof modifiedAt === 'number' && { modifiedAt }),
    }
  }, [given, id])
}
