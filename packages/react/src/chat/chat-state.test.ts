import type { StreamEvent } from '@holdpoint/schema/turn-stream'
import { describe, expect, it } from 'vitest'
import { type ChatState, chatReducer, NOTHING_SAID } from './chat-state.ts'

const QUESTIONS = [{ header: 'Layout', question: 'Which?', options: [{ label: 'Cards' }], multiSelect: false }]

function after(...events: StreamEvent[]): ChatState {
  const sent = chatReducer(NOTHING_SAID, { type: 'following', content: 'Go' })
  return events.reduce((state, event) => chatReducer(state, { type: 'event', event }), sent)
}
const calls = (state: ChatState) => state.messages.flatMap((message) => message.toolCalls)

describe('a chat', () => {
  it('adds a question to what the agent says, with its type and questions', () => {
    const state = after({ type: 'question_prompt', data: { toolCallId: 'a', questions: QUESTIONS } })
    expect(calls(state)).toMatchObject([
      {
        toolCallId: 'a',
        toolName: '',
        interactiveType: 'question',
        questions: QUESTIONS,
        status: 'pending',
      },
    ])
  })

  it('keeps which program asks (T27)', () => {
    const question = { toolCallId: 'a', questions: QUESTIONS, raiser: 'CI' }
    const form = { mode: 'form', server: 's', message: 'm' } as const
    const asked: StreamEvent[] = [
      { type: 'question_prompt', data: question },
      { type: 'form_prompt', data: { toolCallId: 'b', toolName: '', input: '{}', form, raiser: 'CI' } },
      { type: 'approval_required', data: { toolCallId: 'c', toolName: 'Bash', input: '{}', raiser: 'CI' } },
    ]
    expect(calls(after(...asked)).map(({ facts }) => facts)).toEqual(asked.map(() => ({ raiser: 'CI' })))
  })

  it('adds an approval likewise', () => {
    const data = { toolCallId: 'a', toolName: 'Bash', input: '{"command":"ls"}' }
    expect(calls(after({ type: 'approval_required', data }))).toEqual([
      { ...data, interactiveType: 'approval', status: 'pending' },
    ])
  })

  it('adds a form likewise, with the whole call that it belongs to', () => {
    const form = { mode: 'form', server: 'files', message: 'Which?', schema: { type: 'object' } } as const
    const data = { toolCallId: 'a', toolName: 'mcp__files__pick_file', input: '{"folder":"notes"}', form }
    const { form: _, ...call } = data
    const start = { type: 'tool_call_start', data: { ...call, input: '', status: 'running' } } as const
    expect(calls(after(start, { type: 'form_prompt', data }))).toEqual([
      { ...data, interactiveType: 'form', status: 'pending' },
    ])
    const settled = { type: 'interaction_settled', data: { toolCallId: 'a', outcome: 'answered' } } as const
    expect(calls(after({ type: 'form_prompt', data }, settled))).toMatchObject([{ status: 'running', form }])
  })

  it('knows a call again, whichever is told first', () => {
    const call = { toolCallId: 'a', toolName: 'Bash' }
    const start = { type: 'tool_call_start', data: { ...call, status: 'running' } } as const
    const delta = { type: 'tool_call_delta', data: { ...call, input: '{"command":"ls"}', status: 'running' } } as const
    const approval = { type: 'approval_required', data: { ...call, input: '{"command":"ls"}' } } as const
    const end = { type: 'tool_call_end', data: { ...call, input: '{}', status: 'running' } } as const
    for (const events of [
      [start, delta, approval],
      [approval, start, delta],
      [start, approval, delta],
      [start, delta, approval, end],
    ]) {
      expect(calls(after(...events))).toEqual([
        { ...call, input: '{"command":"ls"}', interactiveType: 'approval', status: 'pending' },
      ])
    }
  })

  it('keeps what became of a call: settled, then its result', () => {
    const call = { toolCallId: 'a', toolName: 'Bash' }
    const approval = { type: 'approval_required', data: { ...call, input: '{}' } } as const
    const expired = { type: 'interaction_settled', data: { toolCallId: 'a', outcome: 'expired' } } as const
    expect(calls(after(approval, expired))).toMatchObject([{ status: 'error', settled: { outcome: 'expired' } }])
    const allowed = { type: 'interaction_settled', data: { toolCallId: 'a', outcome: 'allowed' } } as const
    const result = { type: 'tool_result', data: { ...call, result: 'ok', status: 'complete' } } as const
    expect(calls(after(approval, allowed))).toMatchObject([{ status: 'running' }])
    expect(calls(after(approval, allowed, result))).toMatchObject([{ status: 'complete', result: 'ok' }])
  })

  it('waits again when the same id is asked about again, for what is asked now', () => {
    const approval = (toolName: string, input: string): StreamEvent => ({
      type: 'approval_required',
      data: { toolCallId: 'a', toolName, input },
    })
    const start = { type: 'tool_call_start', data: { toolCallId: 'a', toolName: 'Read', status: 'running' } } as const
    const expired = { type: 'interaction_settled', data: { toolCallId: 'a', outcome: 'expired' } } as const
    const first = approval('Bash', '{"command":"rm"}')
    expect(calls(after(start, first, expired, approval('Write', '{"file_path":"b"}')))).toEqual([
      {
        toolCallId: 'a',
        toolName: 'Write',
        input: '{"file_path":"b"}',
        status: 'pending',
        interactiveType: 'approval',
        asked: 2,
      },
    ])
    const questions: StreamEvent = { type: 'question_prompt', data: { toolCallId: 'a', questions: QUESTIONS } }
    expect(calls(after(first, expired, questions))).toEqual([
      {
        toolCallId: 'a',
        toolName: '',
        input: JSON.stringify({ questions: QUESTIONS }),
        status: 'pending',
        interactiveType: 'question',
        questions: QUESTIONS,
        asked: 2,
      },
    ])
    const [again] = calls(after(questions, expired, first))
    expect(again).toMatchObject({ toolName: 'Bash', interactiveType: 'approval' })
    expect(again).not.toHaveProperty('questions')
  })

  it('takes an ask that it is told of again, by another stream, for the same', () => {
    const approval = { type: 'approval_required', data: { toolCallId: 'a', toolName: 'Bash', input: '{}' } } as const
    expect(calls(after(approval, approval))).toEqual(calls(after(approval)))
  })

  it('puts text together, and says nothing of a call that was never told', () => {
    const state = after(
      { type: 'text_delta', data: { text: 'Hel' } },
      { type: 'interaction_settled', data: { toolCallId: 'unknown', outcome: 'denied' } },
      { type: 'text_delta', data: { text: 'lo' } },
    )
    expect(state.messages).toEqual([
      { role: 'user', content: 'Go', toolCalls: [] },
      { role: 'assistant', content: 'Hello', toolCalls: [] },
    ])
  })

  it('says what went wrong until the next turn', () => {
    const failed = chatReducer(after(), { type: 'ended', error: 'The stream ended before the turn did.' })
    expect(failed).toMatchObject({ status: 'idle', error: 'The stream ended before the turn did.' })
    const next = chatReducer(failed, { type: 'following' })
    expect(next.status).toBe('streaming')
    expect(next).not.toHaveProperty('error')
  })
})
