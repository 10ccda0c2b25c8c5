import { shownField } from '@holdpoint/core/shown-field'
import { useMemo } from 'react'
import { useEndsSeen } from '../arming/ends-seen.tsx'
import { approvalBlocks, besidesPlan, type ShownCall } from '../cards/approval-blocks.ts'
import { ApprovalContent } from '../cards/approval-content.tsx'
import { PlanText } from '../cards/plan-text.tsx'
import { JsonTree } from '../text/json-tree.tsx'
import { stringsIn } from '../text/strings-in.ts'
import { EscapeWarning } from '../text/visible-text.tsx'

interface CallContentProps {
  readonly call: ShownCall
  /** Once, when all of it has been on screen to its end. */
  onAllSeen?: (() => void) | undefined
}

/** Everything that an allow would let run. */
export function CallContent({ call, onAllSeen }: CallContentProps) {
  return call.kind === 'plan' ? (
    <PlanContent call={call} onAllSeen={onAllSeen} />
  ) : (
    <ToolContent call={call} onAllSeen={onAllSeen} />
  )
}

function ToolContent({ call, onAllSeen }: CallContentProps) {
  const blocks = useMemo(() => approvalBlocks(call), [call])
  const ends = useEndsSeen(
    blocks.map((block) => block.key),
    onAllSeen,
  )
  return (
    <div className="-mx-4">
      <ApprovalContent ask={call} blocks={blocks} onEndSeen={ends.mark} />
    </div>
  )
}

function PlanContent({ call, onAllSeen }: CallContentProps) {
  const { tool } = call
  const given = tool?.input[shownField(call.display, 'plan') ?? '']
  const text = typeof given === 'string' ? given : ''
  const besides = useMemo(() => besidesPlan({ tool, plan: { text } }), [tool, text])
  const ends = useEndsSeen(besides ? ['plan', 'besides'] : ['plan'], onAllSeen)
  return (
    <div className="flex flex-col gap-2.5">
      <PlanText text={text} onEndSeen={() => ends.mark('plan')} />
      {besides && <JsonTree value={besides} label="Other input" onEndSeen={() => ends.mark('besides')} />}
      <EscapeWarning texts={stringsIn(besides)} prose={[text]} />
    </div>
  )
}
