import { BurstBar, useBurst } from '@holdpoint/react/burst-bar'
import { LiveAskCard } from '@holdpoint/react/live-ask-card'
import { useAsks } from '@holdpoint/react/use-asks'
import { useSession } from '@holdpoint/react/use-session'
import { VisibleText } from '@holdpoint/react/visible-text'
import { ChevronRight } from 'lucide-react'
import { useMemo } from 'react'
import { Link } from 'wouter'
import { useMayAct } from '../me.tsx'
import { projectName } from '../text/project-name.ts'
import { HeldSlot } from './held-slot.tsx'
import type { PlacedGroup } from './placing.ts'

/** The asks of one session, under a heading that leads to it. */
export function InboxGroup({ group, holds }: { group: PlacedGroup; holds: boolean }) {
  const session = useSession(group.sessionId)
  const asks = useAsks(group.sessionId)
  const mayAct = useMayAct()
  const here = useMemo(() => asks.filter((ask) => group.askIds.includes(ask.id)), [asks, group.askIds])
  const burst = useBurst(here)
  return (
    <section className="flex flex-col gap-3">
      <h2 className="px-1 text-sm">
        <Link
          href={`/sessions/${group.sessionId}`}
          className="inline-flex max-w-full items-center gap-1.5 rounded-md text-quiet hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
        >
          <span className="truncate font-medium text-ink">
            <VisibleText text={session?.title ?? 'A session'} />
          </span>
          {session && (
            <span className="shrink-0 truncate">
              <VisibleText text={projectName(session)} />
            </span>
          )}
          <ChevronRight aria-hidden className="size-4 shrink-0" />
        </Link>
      </h2>
      {group.askIds.map((askId) => (
        <HeldSlot key={askId} holds={holds}>
          <LiveAskCard
            askId={askId}
            {...(mayAct ? { burst } : { blocked: 'This browser may look, but not answer.' })}
          />
        </HeldSlot>
      ))}
      <div className="sticky bottom-2 z-10">
        <BurstBar asks={here} burst={burst} />
      </div>
    </section>
  )
}
