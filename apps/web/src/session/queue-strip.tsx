import { whyOverBudget } from '@holdpoint/core/budget'
import { useGateway } from '@holdpoint/react/hooks/use-gateway'
import { useClient } from '@holdpoint/react/providers/holdpoint-provider'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { IconButton } from '@holdpoint/react/ui/icon-button'
import type { Session } from '@holdpoint/schema/session'
import { Clock, X } from 'lucide-react'
import { useMayAct } from '../account/me.tsx'
import { useCommand } from '../parts/use-command.ts'

const NOTHING: readonly never[] = []

/** Messages that wait until the agent is free, each with a way to take it back. */
export function QueueStrip({ session }: { session: Session }) {
  const client = useClient()
  const { id: sessionId } = session
  const waitsForBudget = whyOverBudget(session) !== undefined
  const queue = useGateway((state) => state.queues.get(sessionId) ?? NOTHING)
  const mayAct = useMayAct()
  const { run, failure } = useCommand()
  if (queue.length === 0) return null
  return (
    <div className="pt-2">
      <ul aria-label="Messages that wait for the agent" className="flex max-h-32 flex-col gap-1 overflow-y-auto">
        {queue.map((message) => (
          <li key={message.id} className="flex items-center gap-2 rounded-lg bg-panel pl-3 text-[13px]">
            <Clock aria-hidden className="size-3.5 shrink-0 text-faint" />
            <span className="flex min-w-0 flex-1 flex-col py-1 sm:flex-row sm:items-center sm:gap-2">
              <span className="min-w-0 flex-1 truncate">
                <VisibleText text={message.text.replaceAll('\n', ' ')} />
              </span>
              {waitsForBudget ? (
                <span className="shrink-0 text-xs text-wait">waits for the budget to be raised</span>
              ) : (
                <span className="shrink-0 text-xs text-faint max-sm:hidden">waits for the agent</span>
              )}
            </span>
            {mayAct && (
              <IconButton
                icon={X}
                label="Cancel this message"
                onClick={() => void run(client.cancelMessage(sessionId, message.id))}
              />
            )}
          </li>
        ))}
      </ul>
      {failure && (
        <p role="alert" className="mt-1 text-xs text-deny">
          {failure}
        </p>
      )}
    </div>
  )
}
