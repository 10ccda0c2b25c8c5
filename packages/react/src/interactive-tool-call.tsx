import { QuestionPrompt } from './question-prompt.tsx'
import { ToolApproval } from './tool-approval.tsx'
import type { ToolCallState } from './use-chat-session.tsx'

/** A tool call that waits, or has waited, for a person. Nothing for one that has not: how that looks is the app's. */
export function InteractiveToolCall({ sessionId, call }: { sessionId: string; call: ToolCallState }) {
  const { toolCallId, toolName, input, interactiveType, questions, settled } = call
  const props = { sessionId, toolCallId, settled }
  if (interactiveType === 'question' && questions) return <QuestionPrompt {...props} questions={questions} />
  return interactiveType === 'approval' ? <ToolApproval {...props} toolName={toolName} input={input} /> : null
}
