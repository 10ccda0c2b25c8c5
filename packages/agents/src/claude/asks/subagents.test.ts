import { describe, expect, it } from 'vitest'
import { createSubagents } from './subagents.ts'

const started = {
  type: 'system',
  subtype: 'task_started',
  task_id: 'a1',
  tool_use_id: 'toolu_1',
  description: 'First helper',
}

describe('subagents', () => {
  it('are known by the call that sent them out, and by its description', () => {
    const subagents = createSubagents()
    subagents.arrived(started)
    expect(subagents.named('a1')).toEqual({ subagent: 'toolu_1', subagentName: 'First helper' })
  })

  it('are known by their call from their next message on when nobody saw them start', () => {
    const subagents = createSubagents()
    expect(subagents.named('a1')).toEqual({ subagent: 'a1' })
    subagents.arrived({ type: 'assistant', agent_id: 'a1', parent_tool_use_id: 'toolu_1' })
    expect(subagents.named('a1')).toEqual({ subagent: 'toolu_1' })
  })

  it('go on under the call that woke them, by the name they had', () => {
    const subagents = createSubagents()
    subagents.arrived(started)
    subagents.arrived({ type: 'assistant', agent_id: 'a1', parent_tool_use_id: 'toolu_2' })
    expect(subagents.named('a1')).toEqual({ subagent: 'toolu_2', subagentName: 'First helper' })
  })

  it('take a name of one line and bounded length, and none that is no text', () => {
    const subagents = createSubagents()
    subagents.arrived({ ...started, description: `one\ntwo${'o'.repeat(300)}` })
    expect(subagents.named('a1').subagentName).toMatch(/^one two{1}o*\.\.\.$/)
    expect(subagents.named('a1').subagentName).toHaveLength(200)
    subagents.arrived({ ...started, task_id: 'a2', description: { text: 'x' } })
    expect(subagents.named('a2')).toEqual({ subagent: 'toolu_1' })
  })

  it('are nobody where the agent itself asks', () => {
    expect(createSubagents().named(undefined)).toEqual({})
  })
})
