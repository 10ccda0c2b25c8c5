import { raiserOf } from '@holdpoint/core/call-facts'
import type { Ask } from '@holdpoint/schema/ask'
import { useEffect, useMemo, useRef } from 'react'
import { useEndsSeen, useOnScreen } from '../arming/ends-seen.tsx'
import { isSettled } from '../asks/answer-state.ts'
import { useAnswering } from '../hooks/use-answering.tsx'
import { useSession } from '../hooks/use-session.tsx'
import { useClient } from '../providers/holdpoint-provider.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Spinner } from '../ui/button.tsx'
import { approvalBlocks } from './approval-blocks.ts'
import { ApprovalContent } from './approval-content.tsx'
import { CallFolder } from './call-folder.tsx'
import { CardFault } from './card-fault.tsx'
import { lineWords } from './line-words.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { outcomeWords } from './outcome-words.ts'
import { RaisedByLine } from './raised-by.tsx'

/** A call that is allowed with others: all of it, as on its card. */
export function AllowedCall({ ask, at, onSeen }: { ask: Ask; at: number; onSeen(): void }) {
  const client = useClient()
  const session = useSession(ask.sessionId)
  const blocks = useMemo(() => approvalBlocks(ask), [ask])
  // Its head counts, too: a call without input has nothing else to see.
  const ends = useEndsSeen(['head', ...blocks.map(({ key }) => key)], onSeen)
  const head = useRef<HTMLParagraphElement>(null)
  useOnScreen(head, () => {
    ends.mark('head')
    client.seen(ask)
  })
  return (
    <li className="min-w-0 rounded-xl border border-line py-3">
      <p ref={head} className="flex flex-wrap items-center gap-x-2 px-4 pb-2 text-[13px] text-quiet">
        <span className="tabular-nums">{at + 1}.</span>
        <VisibleText text={ask.tool?.name ?? ''} code className="font-semibold text-wait" />
        <VisibleText text={session?.title ?? 'A session'} className="min-w-0 truncate font-medium text-ink" />
        <CallFolder cwd={ask.context.cwd} sessionCwd={session?.cwd} />
      </p>
      <RaisedByLine raiser={raiserOf(ask)} className="px-4 pb-2" />
      <CardFault fallback={<p className="px-4">This page could not show this call, so it cannot be allowed.</p>}>
        <ApprovalContent ask={ask} blocks={blocks} onEndSeen={ends.mark} />
      </CardFault>
      <AnswerLine ask={ask} className="px-4 pt-2" />
    </li>
  )
}

/** An ask in one line, with what came of its answer. */
export function BatchLine({ ask, note }: { ask: Ask; note?: string }) {
  const { tool, text } = useMemo(() => lineWords(ask), [ask])
  const session = useSession(ask.sessionId)
  return (
    <li className="min-w-0">
      <p className="flex items-baseline gap-2">
        <VisibleText text={tool} code className="max-w-28 shrink-0 truncate text-[13px] font-semibold" />
        <VisibleText text={text} code joinLines className="min-w-0 flex-1 truncate font-mono text-xs leading-5" />
        <VisibleText text={session?.title ?? ''} className="max-w-40 shrink-0 truncate text-[13px] text-quiet" />
      </p>
      {note !== undefined && <p className="text-[13px] text-wait">{note}</p>}
      <AnswerLine ask={ask} />
    </li>
  )
}

function AnswerLine({ ask, className = '' }: { ask: Ask; className?: string }) {
  const { state } = useAnswering(ask)
  const line = useRef<HTMLParagraphElement>(null)
  const isFailed = state.kind === 'failed'
  // The first that failed may be far from where the person is.
  useEffect(() => {
    if (isFailed) line.current?.scrollIntoView({ block: 'nearest' })
  }, [isFailed])
  if (state.kind === 'pending') return null
  return (
    <p ref={line} className={`flex items-center gap-2 text-[13px] ${className}`}>
      {isSettled(state) ? (
        <OutcomeMark words={outcomeWords(ask, state.outcome)} />
      ) : isFailed ? (
        <span role="alert" className="text-deny">
          {state.message}
        </span>
      ) : (
        <>
          <Spinner />
          <span className="text-quiet">{state.overdue ? 'No reply yet: trying again.' : 'Sending …'}</span>
        </>
      )}
    </p>
  )
}
