import { callDisplay } from '@holdpoint/agents/claude/asks/call-display'
import { describe, expect, it } from 'vitest'
import type { ToolCallItem } from './input-text.ts'
import { createTaskList } from './task-list.ts'

const call = (name: string, input: object) =>
  ({ type: 'tool-call', name, input, display: callDisplay({ name, input }) }) as unknown as ToolCallItem
const result = (text: string, isError = false) =>
  ({ type: 'tool-result', text, isError }) as unknown as Parameters<ReturnType<typeof createTaskList>['after']>[1]

describe('what an agent plans to do', () => {
  it('is put together from calls about one task each', () => {
    const list = createTaskList()
    list.after(call('TaskCreate', { subject: 'Read', description: '' }), result('Task #1 created successfully: Read'))
    list.after(call('TaskCreate', { subject: 'Write' }), result('Task #2 created successfully: Write'))
    list.after(call('TaskUpdate', { taskId: '1', status: 'completed' }), result('Updated task #1 status'))
    list.after(call('TaskUpdate', { taskId: '9', status: 'in_progress' }), undefined)
    expect(list.after(call('TaskUpdate', { taskId: '2', subject: 'Write it' }), undefined)).toEqual([
      { number: '1', text: 'Read', state: 'done' },
      { number: '2', text: 'Write it', state: 'open' },
      { number: '9', state: 'doing' },
    ])
    expect(list.after(call('TaskUpdate', { taskId: '2', status: 'deleted' }), undefined)).toHaveLength(2)
  })

  it('stays as it was where a call failed, says nothing of it, or says too much', () => {
    const list = createTaskList()
    expect(list.after(call('Bash', { command: 'ls' }), undefined)).toBeUndefined()
    expect(list.after(call('TodoWrite', { todos: 'all' }), undefined)).toBeUndefined()
    expect(list.after(call('TodoWrite', { todos: Array(201).fill({ content: 'x' }) }), undefined)).toBeUndefined()
    expect(list.after(call('TaskCreate', { subject: 'No' }), result('failed', true))).toBeUndefined()
    expect(list.after(call('TodoWrite', { todos: [null, { content: 'Go', status: 'completed' }] }), undefined)).toEqual(
      [{ state: 'open' }, { text: 'Go', state: 'done' }],
    )
  })
})
