import { projectName } from '@holdpoint/core/text/project-name'
import type { Burst } from '@holdpoint/react/cards/burst-bar'
import { LiveAskCard } from '@holdpoint/react/cards/live-ask-card'
import { MachineName } from '@holdpoint/react/cards/machine-name'
import { useMachineOf } from '@holdpoint/react/hooks/use-machines'
import { useSession } from '@holdpoint/react/hooks/use-session'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import type { AskId } from '@holdpoint/schema/id'
import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { useIsOwner } from '../account/me.tsx'
import { TerminalSign } from '../terminal/at-its-terminal.tsx'
import { HeldSlot } from './held-slot.tsx'
import { type PlacedGroup, sameGroup } from './placing.ts'

export const CANNOT_ANSWER = 'This browser can view asks, but not answer them.'

export interface InboxGroupProps {
  readonly group: PlacedGroup
  /** The last ask of the page, where it is in this group: there is nothing below it that could move. */
  readonly last: AskId | undefined
  readonly holds: boolean
  /** Left out where this browser may only look. */
  readonly burst: Burst | undefined
}

/** The asks of one session, under a heading that leads to it. */
export const InboxGroup = memo(function InboxGroup({ group, last, holds, burst }: InboxGroupProps) {
  const session = useSession(group.sessionId)
  const machine = useMachineOf(session)
  return (
    <section className="flex flex-col gap-3">
      <h2 className="-mb-2 px-1 text-sm pointer-fine:mb-0">
        <Link
          href={`/sessions/${group.sessionId}`}
          className="inline-flex min-h-11 max-w-full items-center gap-1.5 rounded-md text-quiet hover:text-ink pointer-fine:min-h-0 focus-visible:outline-2 focus-visible:outline-accent"
        >
          <span className="truncate font-medium text-ink">
            <VisibleText text={session?.title ?? 'A session'} />
          </span>
          {session && (
            <span className={`truncate ${machine ? 'min-w-8 shrink-4' : 'shrink-0'}`}>
              <VisibleText text={projectName(session)} code />
            </span>
          )}
          {session?.attached && <TerminalSign />}
          {machine && <MachineName machine={machine} className="max-w-2/5 shrink-0" />}
          <ChevronRight aria-hidden className="size-4 shrink-0" />
        </Link>
      </h2>
      {group.askIds.map((askId) => (
        <InboxCard key={askId} askId={askId} holds={holds && askId !== last} burst={burst} />
      ))}
    </section>
  )
}, sameGroupProps)

/** Groups are new objects each time the page is ordered. */
function sameGroupProps(before: InboxGroupProps, after: InboxGroupProps): boolean {
  return (
    before.last === after.last &&
    before.holds === after.holds &&
    before.burst === after.burst &&
    sameGroup(before.group, after.group)
  )
}

interface InboxCardProps extends Pick<InboxGroupProps, 'holds' | 'burst'> {
  readonly askId: AskId
}

const InboxCard = memo(function InboxCard({ askId, holds, burst }: InboxCardProps) {
  const isOwner = useIsOwner()
  return (
    <HeldSlot holds={holds}>
      <LiveAskCard
        askId={askId}
        underSession
        canMakeRules={isOwner}
        {...(burst ? { burst } : { blocked: CANNOT_ANSWER })}
      />
    </HeldSlot>
  )
})
