import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import type { InteractionResult, Transport } from '@holdpoint/client/transport'
import { InteractiveToolCall } from '@holdpoint/react/chat/interactive-tool-call'
import { useChatSession } from '@holdpoint/react/chat/use-chat-session'
import { TransportProvider } from '@holdpoint/react/providers/transport-provider'
import { Button } from '@holdpoint/react/ui/button'
import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { useState } from 'react'
import { SESSION } from './sample-asks.ts'
import { QUESTIONS } from './sample-texts.ts'

export const CHAT_CASE = 'chat'

/** A conversation as another app would show it, with an agent that follows a script. */
export function ChatCaseView() {
  const [transport] = useState(createScriptedTransport)
  return (
    <TransportProvider transport={transport}>
      <Chat id={CHAT_CASE} sessionId={SESSION.id} />
    </TransportProvider>
  )
}

export function Chat({ id, sessionId }: { id: string; sessionId: string }) {
  const { messages, status, error, sendMessage } = useChatSession(sessionId)
  return (
    <div data-case={id} data-status={status} className="flex flex-col gap-3">
      {messages.map(({ role, content, toolCalls }, index) => (
        <div key={index} data-role={role} className="flex flex-col gap-2 text-sm">
          {toolCalls.map((call) =>
            call.interactiveType ? (
              <InteractiveToolCall key={call.toolCallId} sessionId={sessionId} call={call} />
            ) : (
              <p key={call.toolCallId} className="text-quiet">
                {call.toolName}: {call.result}
              </p>
            ),
          )}
          <p>{content}</p>
        </div>
      ))}
      {error !== undefined && <p role="alert">{error}</p>}
      <Button onClick={() => void sendMessage('Build the page')}>Send</Button>
    </div>
  )
}

function createScriptedTransport(): Transport {
  const waiting = new Map<string, () => void>()
  const answered = (toolCallId: string) => new Promise<void>((resolve) => waiting.set(toolCallId, resolve))
  async function answer(toolCallId: string): Promise<InteractionResult> {
    const go = waiting.get(toolCallId)
    if (!go) return { ok: false, code: 'not_found', message: 'Nothing waits here.' }
    waiting.delete(toolCallId)
    go()
    return { ok: true }
  }
  const call = { toolCallId: 'toolu_run', toolName: 'Bash' }
  const done: StreamEvent = { type: 'done', data: { sessionId: SESSION.id } }
  const known: Partial<Transport> = {
    approveTool: (_, toolCallId) => answer(toolCallId),
    denyTool: (_, toolCallId) => answer(toolCallId),
    submitAnswers: (_, toolCallId) => answer(toolCallId),
    async joinTurn(_, { onEvent }) {
      onEvent(done)
    },
    async sendMessage(_, __, { onEvent }) {
      onEvent({ type: 'question_prompt', data: { toolCallId: 'toolu_ask', questions: QUESTIONS.slice(0, 1) } })
      await answered('toolu_ask')
      onEvent({ type: 'interaction_settled', data: { toolCallId: 'toolu_ask', outcome: 'answered' } })
      const input = { command: 'npm run build' }
      const display = callDisplay({ name: call.toolName, input })
      onEvent({ type: 'approval_required', data: { ...call, input: JSON.stringify(input), display } })
      await answered('toolu_run')
      onEvent({ type: 'interaction_settled', data: { toolCallId: 'toolu_run', outcome: 'allowed' } })
      onEvent({ type: 'tool_result', data: { ...call, result: 'ok', status: 'complete' } })
      onEvent({ type: 'text_delta', data: { text: 'Built.' } })
      onEvent(done)
    },
  }
  return known as Transport
}
