import { QuestionPrompt } from './question-prompt.tsx'
import { ToolApproval } from './tool-approval.tsx'
import type { ToolCallState } from './use-chat-session.tsx'

/** A tool call that waits, or has waited, for a person. Nothing for one that has not: how that looks is the app's. */
export function InteractiveToolCall({ sessionId, call }: { sessionId: string; call: ToolCallState }) {
  const { toolCallId, toolName, input, interactiveType, questions, settled, asked } = call
  const props = { sessionId, toolCallId, settled, asked }
  // Asked about again, it begins anew: its time, what was picked, and what was seen to its end.
  if (interactiveType === 'question' && questions)
    return <QuestionPrompt key={asked} {...props} questions={questions} />
  if (interactiveType === 'approval') return <ToolApproval key={asked} {...props} toolName={toolName} input={input} />
  return null
}
