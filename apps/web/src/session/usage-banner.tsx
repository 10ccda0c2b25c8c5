import { whyOverBudget } from '@holdpoint/core/budget'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { Session } from '@holdpoint/schema/session'
import { Gauge, HandCoins } from 'lucide-react'
import type { ReactNode } from 'react'
import { useIsOwner, useMayAct } from '../account/me.tsx'
import { useCommand } from '../parts/use-command.ts'
import { raisedBudget } from '../usage/raised-budget.ts'
import { contextPercent, FULL_PERCENT } from '../usage/usage-words.ts'

/** That the budget is used up, or else that the context is nearly full, with what can be done about it. */
export function UsageBanner({ session }: { session: Session }) {
  const isOwner = useIsOwner()
  const mayAct = useMayAct()
  if (session.state === 'dead') return null
  const why = whyOverBudget(session)
  if (why !== undefined) return <OverBudget session={session} why={why} isOwner={isOwner} />
  const percent = session.context ? contextPercent(session.context) : 0
  const mayCompact = mayAct && session.state === 'user_turn' && session.queuedMessages === 0
  return percent < FULL_PERCENT ? null : <FullContext session={session} percent={percent} mayCompact={mayCompact} />
}

function OverBudget({ session, why, isOwner }: { session: Session; why: string; isOwner: boolean }) {
  const client = useClient()
  const { run, busy, failure } = useCommand()
  const raised = raisedBudget(session)
  return (
    <Bar icon={<HandCoins aria-hidden className="mt-0.5 size-5 shrink-0" />} failure={failure}>
      <p className="min-w-0 flex-1 basis-50">
        <strong className="font-semibold">{why}</strong> Every call asks you now, and messages wait.
      </p>
      {isOwner && (
        <Button busy={busy} onClick={() => void run(client.setBudget(session.id, raised.budget))}>
          {raised.label}
        </Button>
      )}
    </Bar>
  )
}

function FullContext(props: { session: Session; percent: number; mayCompact: boolean }) {
  const { session, percent, mayCompact } = props
  const client = useClient()
  const { run, busy, failure } = useCommand()
  return (
    <Bar icon={<Gauge aria-hidden className="mt-0.5 size-5 shrink-0" />} failure={failure}>
      <p className="min-w-0 flex-1 basis-50">
        <strong className="font-semibold">The context is {percent} % full.</strong> Compacting replaces it with a
        summary.
      </p>
      {mayCompact && (
        <Button busy={busy} onClick={() => void run(client.sendMessage(session.id, { text: '/compact' }))}>
          Compact
        </Button>
      )}
    </Bar>
  )
}

function Bar({ icon, failure, children }: { icon: ReactNode; failure: string | undefined; children: ReactNode }) {
  return (
    <div role="status" className="shrink-0 border-b border-wait-line bg-wait-bg px-4 py-2 text-wait">
      <div className="mx-auto flex max-w-3xl items-start gap-3 text-sm">
        {icon}
        <div className="flex min-h-6 min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-2 tabular-nums">
          {children}
          {failure && (
            <p role="alert" className="basis-full text-deny">
              {failure}
            </p>
          )}
        </div>
      </div>
    </div>
  )
}
