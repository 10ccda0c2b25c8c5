import type { ReactNode } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import { QuestionPrompt } from './question-prompt.tsx'
import { ToolApproval } from './tool-approval.tsx'
import type { ToolCallState } from './use-chat-session.tsx'

export interface InteractiveToolCallProps {
  readonly sessionId: string
  readonly call: ToolCallState
  /** How the app shows a form: `call.form`, answered by `submitForm` and `denyTool` of the transport. */
  readonly renderForm?: (call: ToolCallState) => ReactNode
}

/** A tool call that waits, or has waited, for a person. Nothing for one that has not: how that looks is the app's. */
export function InteractiveToolCall({ sessionId, call, renderForm = formNote }: InteractiveToolCallProps) {
  const { toolCallId, toolName, input, interactiveType, questions, facts, settled, asked } = call
  const props = { sessionId, toolCallId, settled, asked }
  // When the same id is asked about again, everything is reset: its time, what was picked, and what was seen to the end.
  if (interactiveType === 'question' && questions)
    return <QuestionPrompt key={asked} {...props} questions={questions} raiser={facts?.raiser} />
  if (interactiveType === 'approval')
    return <ToolApproval key={asked} {...props} toolName={toolName} input={input} facts={facts} />
  return interactiveType === 'form' ? renderForm(call) : null
}

/** An app without a component for forms must not look as if nothing waited. */
function formNote({ form, facts, settled }: ToolCallState): ReactNode {
  if (!form || settled) return null
  return (
    <p className="text-sm text-quiet">
      A form of <VisibleText text={facts?.raiser ?? form.server} /> waits for you. Answer it in Holdpoint’s own app.
    </p>
  )
}
