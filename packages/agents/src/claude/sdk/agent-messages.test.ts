import type { SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import { expect, it } from 'vitest'
import { agentEvents } from './agent-messages.ts'

it('takes what a slash command printed as a note, like a transcript does, and not as words of the model', () => {
  const said = {
    type: 'assistant',
    parent_tool_use_id: null,
    message: { content: [{ type: 'text', text: 'Cost: $0' }] },
  }
  const printed = { ...said, local_command_source: '<local-command-stdout>Cost: $0</local-command-stdout>' }
  expect(agentEvents(printed as unknown as SDKMessage)).toEqual([
    { type: 'item', item: { type: 'notice', level: 'info', text: 'Cost: $0' } },
  ])
  expect(agentEvents(said as unknown as SDKMessage)).toMatchObject([{ item: { type: 'message', text: 'Cost: $0' } }])
})
