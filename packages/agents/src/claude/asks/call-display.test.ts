import { Display } from '@holdpoint/schema/display'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callDisplay, TOOLS } from './call-display.ts'

const DIFF = '--- /w/a.ts\n+++ /w/a.ts\n@@ -1 +1 @@\n-one\n+two\n'

describe('how a call is displayed', () => {
  it.each([
    ['Bash', { command: 'ls', description: 'Lists' }, 'Run command', 'terminal', 'command'],
    ['Agent', { description: 'Helper', prompt: 'Go' }, 'Start subagent', 'agent', 'description'],
    ['Grep', { pattern: 'x', path: '/w' }, 'Search files', 'find', 'pattern'],
    ['TaskCreate', { subject: 'Read', description: 'All of it' }, 'Add task', 'tasks', 'subject'],
    ['Skill', { skill: 'review' }, 'Use skill', 'own', 'skill'],
    ['Write', { file_path: '/w/a.ts', content: 'x' }, 'Write file', 'write', 'file_path'],
    ['NotebookEdit', { notebook_path: '/w/a.ipynb', new_source: 'x' }, 'Edit notebook', 'edit', 'notebook_path'],
    ['WebFetch', { url: 'https://a.example', prompt: 'x' }, 'Fetch', 'web', 'url'],
    ['WebSearch', { query: 'x' }, 'Search the web', 'search', 'query'],
    ['ExitPlanMode', { plan: 'x' }, 'Go on with the plan', 'plan', undefined],
    ['SomethingNew', { pattern: '*.ts' }, 'Use tool', 'tool', 'pattern'],
    ['mcp__files__open', { file_path: '/w/a.ts' }, 'Use file', 'tool', 'file_path'],
  ])('%s %o', (name, input, verb, icon, subject) => {
    const display = callDisplay({ name, input })
    expect(display).toMatchObject({ verb, icon })
    expect(display.subject).toBe(subject)
    expect(Display.parse(display)).toEqual(display)
  })

  it('says where the calls that plan have their tasks', () => {
    expect(callDisplay({ name: 'TodoWrite', input: { todos: [] } }).tasks).toMatchObject({
      list: 'todos',
      text: 'content',
    })
    expect(callDisplay({ name: 'TaskUpdate', input: { taskId: '1' } }).tasks).toMatchObject({ number: 'taskId' })
    expect(callDisplay({ name: 'TodoWrite', input: {}, isOfServer: true })).not.toHaveProperty('tasks')
  })

  it.each([
    ['Bash', {}],
    ['Bash', { command: 5 }],
    ['Edit', { old_string: 'a' }],
    ['Bash', undefined],
    ['Bash', 'ls'],
  ])('%s %o, which lacks what the tool needs, is displayed as any tool', (name, input) => {
    expect(callDisplay({ name, input })).toMatchObject({ verb: 'Use tool', icon: 'tool' })
  })

  it('knows nothing of the tools of an MCP server, whatever they are called (T27)', () => {
    const input = { command: 'ls', description: 'Lists' }
    expect(callDisplay({ name: 'Bash', input, isOfServer: true })).toEqual({
      verb: 'Use tool',
      icon: 'tool',
      subject: 'command',
    })
  })

  it.each([
    ['Write', { content: 'two' }, ['content']],
    ['Write', { content: 'two', new_string: 'two' }, ['content']],
    ['Edit', { old_string: 'one', new_string: 'two', replace_all: false }, ['old_string', 'new_string', 'replace_all']],
    ['Edit', { old_string: 'one', new_string: 'two', replace_all: true }, []],
    ['Edit', { old_string: 'one', new_string: '' }, []],
    ['Edit', { old_string: 'one', new_string: 'two', content: 'unseen' }, ['old_string', 'new_string']],
    ['NotebookEdit', { new_source: 'two' }, ['new_source']],
    ['NotebookEdit', { new_source: 'two', edit_mode: 'delete' }, []],
    ['MultiEdit', { edits: [{ old_string: 'one', new_string: 'two' }] }, []],
    ['SomethingNew', { content: 'two', old_string: 'one', new_string: 'two' }, []],
  ])('leaves to the diff of %s %o only what the diff says in full (T26, T63)', (name, input, fields) => {
    const inDiff = ({ shownIn = {} }: Display) => Object.keys(shownIn).filter((field) => shownIn[field] === 'diff')
    expect(inDiff(callDisplay({ name, input, diff: DIFF }))).toEqual(fields)
    expect(inDiff(callDisplay({ name, input }))).toEqual([])
  })

  it('holds none of the agent’s text: nothing in it has to be escaped (T27)', () => {
    const known = new Set([
      ...[...TOOLS.values()].flatMap(({ verb, shownIn = {} }) => [verb, ...Object.keys(shownIn)]),
      ...['Use tool', 'Use file', 'file_path', 'notebook_path', 'path', 'pattern', 'prompt', 'replace_all'],
      ...['content', 'old_string', 'new_string', 'new_source', 'skill', 'subject', 'taskId'],
    ])
    const input = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...known)), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom(...TOOLS.keys())),
        input,
        fc.boolean(),
        (name, given, edits) => {
          const display = callDisplay({ name, input: given, ...(edits && { diff: DIFF }) })
          expect(Display.parse(display)).toEqual(display)
          const { verb, subject = verb, shownIn = {} } = display
          for (const text of [verb, subject, ...Object.keys(shownIn)]) expect(known.has(text), text).toBe(true)
        },
      ),
    )
  })
})
