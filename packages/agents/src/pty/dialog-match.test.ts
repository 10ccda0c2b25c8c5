import { describe, expect, it } from 'vitest'
import { type ShownCall, shownCalls, showsCall } from './dialog-match.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { readDialog } from './screen-dialog.ts'

const CWD = '/code/project'
const many = Array.from({ length: 80 }, (_, n) => `echo line ${n} >> out.txt`).join('\n')
const bash = (command: string) => ({ name: 'Bash', input: { command } })
const write = (file: string, content: string) => ({ name: 'Write', input: { file_path: `${CWD}/${file}`, content } })
const edit = (from: string, to: string) => ({
  name: 'Edit',
  input: { file_path: `${CWD}/old.txt`, old_string: from, new_string: to },
})
const ninety = Array.from({ length: 90 }, (_, n) => `text ${n}`).join('\n')
const loop =
  'for i in 1 2 3; do\n  echo "number $i and some long text that wraps around the end of the terminal line because it is long, really" >> out.txt\ndone\ncat out.txt | wc -l > count.txt'

const bySubagent = (command: string) => ({ ...bash(command), agentId: 'a1' })
const note = (input: Record<string, unknown>) => ({ name: 'mcp__notes__add_note', input })
const remark =
  'buy milk and a rather long remark that goes on over the end of the line of this terminal so that it is broken'

function shows(screen: string, call: ShownCall) {
  const dialog = readDialog(recordedScreen(screen))
  return dialog !== undefined && showsCall(dialog, call, CWD)
}

describe('showsCall', () => {
  it.each([
    ['bash', bash('touch made.txt')],
    ['bash-on-no', bash('touch made.txt')],
    ['bash-amended', bash('touch made.txt')],
    ['bash-long', bash(loop)],
    ['bash-tall', bash(many)],
    ['write', write('note.txt', 'new text\nline 2\n')],
    ['write-tall', write('sub/note.txt', ninety)],
    ['edit', edit('two', 'TWO')],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/1', prompt: 'read it' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats and dogs' } }],
    ['plan', { name: 'ExitPlanMode', input: {} }],
    ['subagent', bySubagent('touch sub.txt')],
    ['mcp', note({ text: remark, count: 3 })],
    ['mcp-list', note({ text: 'buy milk', tags: ['a', 'b'] })],
  ])('knows the call of %s', (screen, call) => expect(shows(screen, call)).toBe(true))

  it.each([
    ['bash', bash('touch made.txt; rm -rf /')],
    ['bash', bash('touch made')],
    ['bash', bash('')],
    ['bash', { name: 'Bash', input: {} }],
    ['bash', { name: 'Write', input: { command: 'touch made.txt' } }],
    ['bash', { name: 'mcp__shell__run', input: { command: 'touch made.txt' } }],
    ['bash-long', bash(loop.replace('1 2 3', '1 2 4'))],
    ['bash-tall', bash(`${many}\nrm -rf /`)],
    ['bash-tall', write('out.txt', many)],
    ['write', write('note.txt', 'another text\n')],
    ['write', write('other.txt', 'new text\nline 2\n')],
    ['write', write('sub/note.txt', 'new text\nline 2\n')],
    ['edit', edit('two', 'THREE')],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/2', prompt: 'read it' } }],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid', prompt: 'read it' } }],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/1', prompt: 'read it all' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats and mice' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats' } }],
    ['search', { name: 'WebSearch', input: {} }],
    ['search', { name: 'mcp__other__find', input: { query: 'cats and dogs' } }],
    ['question-plain', { name: 'AskUserQuestion', input: { questions: [{ question: 'Which size?', options: [] }] } }],
    ['question-plain', bash('touch made.txt')],
    ['plan', bash('touch made.txt')],
    ['subagent', bash('touch sub.txt')],
    ['subagent', bySubagent('touch other.txt')],
    ['mcp', note({ text: 'buy milk', count: 3 })],
    ['mcp', note({ text: remark })],
    ['mcp', note({ text: remark, count: 3, more: true })],
    ['mcp-list', note({ text: 'buy milk', tags: ['a', 'c'] })],
    ['mcp-list', note({ text: 'buy', tags: ['a', 'b'] })],
    ['mcp-list', { name: 'mcp__notes__add', input: { text: 'buy milk', tags: ['a', 'b'] } }],
    ['mcp-list', { name: 'mcp__other_notes__add_note', input: { text: 'buy milk', tags: ['a', 'b'] } }],
  ])('takes %s for no other call than its own: %j', (screen, call) => expect(shows(screen, call)).toBe(false))
})

describe('shownCalls', () => {
  const dialog = readDialog(recordedScreen('bash'))

  it('are all that look the same, and none where one of them differs in a blank', () => {
    if (!dialog) throw new Error('no dialog')
    const [one, same] = [bash('touch made.txt'), bash('touch made.txt')]
    expect(shownCalls(dialog, [bash('ls'), one, same], CWD)).toEqual([one, same])
    expect(shownCalls(dialog, [one, bash('touch made .txt')], CWD)).toEqual([])
    expect(shownCalls(dialog, [bash('ls')], CWD)).toEqual([])
  })
})
