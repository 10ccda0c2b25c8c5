import type { CallFacts } from '@holdpoint/schema/call-facts'
import { Check, ShieldQuestion, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import { ArmedArea, ArmedButton, useArming } from '../arming/arming.tsx'
import { useHowToSee } from '../arming/in-sight.ts'
import type { ShownCall } from '../cards/approval-blocks.ts'
import { CallFolder } from '../cards/call-folder.tsx'
import { RaisedByLine } from '../cards/raised-by.tsx'
import { CodeBlock } from '../text/code-block.tsx'
import { EscapeWarning, VisibleText } from '../text/visible-text.tsx'
import { CallContent } from './call-content.tsx'
import { InteractionFrame } from './interaction-frame.tsx'
import { SummaryLine, UnansweredSummary } from './interaction-summary.tsx'
import { callOfInput, callWords } from './shown-call.ts'
import { SubmitError } from './submit-error.tsx'
import { type Interaction, type InteractionProps, useInteraction } from './use-interaction.ts'

export interface ToolApprovalProps extends InteractionProps {
  readonly toolName: string
  /** The tool's whole input, as JSON. */
  readonly input: string
  /** What else the event says: the folder, the files, whether it asks again, and which program asks. */
  readonly facts?: CallFacts | undefined
}

/** The tool call of an `approval_required` event, answered by `approveTool` or `denyTool` of the transport above. */
export function ToolApproval({ toolName, input, facts, ...props }: ToolApprovalProps) {
  const interaction = useInteraction(props)
  const call = useMemo(() => callOfInput(toolName, input, facts), [toolName, input, facts])
  const { state } = interaction
  const denied = state.kind === 'submitted' && state.sent.kind === 'deny'
  const key = JSON.stringify([props.sessionId, props.toolCallId, toolName, input])
  const about = <VisibleText text={toolName} />
  const fact = call && <Fact call={call} />
  return (
    <InteractionFrame
      toolCallId={props.toolCallId}
      interaction={interaction}
      icon={ShieldQuestion}
      title={
        <>
          <VisibleText text={toolName} className="text-wait" /> {call && <Subject call={call} />}
        </>
      }
      tone={state.kind !== 'submitted' ? 'plain' : denied ? 'deny' : 'allow'}
      open={<OpenApproval key={key} id={key} input={input} call={call} facts={facts} interaction={interaction} />}
      summary={
        state.kind === 'submitted' ? (
          <SummaryLine
            icon={denied ? X : Check}
            tone={denied ? 'deny' : 'allow'}
            what={denied ? 'Denied' : 'Approved'}
            about={about}
            fact={fact}
          />
        ) : (
          <UnansweredSummary state={state} about={about} fact={fact} />
        )
      }
    />
  )
}

interface OpenApprovalProps {
  readonly id: string
  readonly input: string
  readonly call: ShownCall | undefined
  readonly facts: CallFacts | undefined
  readonly interaction: Interaction
}

function OpenApproval({ id, input, call, facts, interaction }: OpenApprovalProps) {
  const { state, submit } = interaction
  const arming = useArming(id)
  const [isSeen, setSeen] = useState(false)
  const howToSee = useHowToSee()
  const sent = state.kind === 'submitting' ? state.sent.kind : undefined
  const onAllSeen = () => setSeen(true)
  return (
    <div className="flex flex-col gap-3 px-4 py-3.5">
      {call && (
        <div className="flex text-[13px] text-quiet">
          <CallFolder cwd={call.context.cwd} />
        </div>
      )}
      <RaisedByLine raiser={facts?.raiser} />
      {call ? <CallContent call={call} onAllSeen={onAllSeen} /> : <RawInput input={input} onAllSeen={onAllSeen} />}
      {state.kind === 'pending' && state.error !== undefined && <SubmitError message={state.error} />}
      <ArmedArea arming={arming} className="flex flex-wrap items-center justify-end gap-2">
        {!isSeen && <span className="text-[13px] text-wait max-sm:basis-full">{howToSee} to approve</span>}
        <ArmedButton
          variant="deny"
          off={sent === 'approve'}
          busy={sent === 'deny'}
          onPress={() => submit({ kind: 'deny' })}
          className="max-sm:grow"
        >
          Deny
        </ArmedButton>
        <ArmedButton
          variant="primary"
          off={!isSeen || sent === 'deny'}
          busy={sent === 'approve'}
          onPress={() => submit({ kind: 'approve' })}
          className="max-sm:grow"
        >
          Approve
        </ArmedButton>
      </ArmedArea>
    </div>
  )
}

/** An input that is no JSON object, as it came. */
function RawInput({ input, onAllSeen }: { input: string; onAllSeen(): void }) {
  return (
    <>
      <CodeBlock text={input} label="Input" onEndSeen={onAllSeen} />
      <EscapeWarning texts={[input]} />
    </>
  )
}

/** What the call is about, beside the tool's name. */
function Subject({ call }: { call: ShownCall }) {
  const { verb, subject } = callWords(call)
  if (subject === undefined) return verb
  return subject !== call.tool?.name && <VisibleText text={subject} code className="font-mono text-[13px]" />
}

/** One line, or two, of what was asked for. */
function Fact({ call }: { call: ShownCall }) {
  const { command, filePath, url, query } = call.context
  const text = command ?? filePath ?? url ?? query
  if (text === undefined) return null
  return (
    <p className="line-clamp-2 font-mono text-xs leading-5 text-quiet">
      <VisibleText text={text} code joinLines />
    </p>
  )
}
