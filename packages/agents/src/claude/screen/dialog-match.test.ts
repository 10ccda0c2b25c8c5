import { report } from '@holdpoint/testing/long'
import { describe, expect, it } from 'vitest'
import { type ShownCall, shownCalls, showsCall } from './dialog-match.ts'
import { recordedScreen } from './fixtures/recorded-screen.ts'
import { readDialog } from './screen-dialog.ts'

const CWD = '/code/project'
const many = Array.from({ length: 80 }, (_, n) => `echo line ${n} >> out.txt`).join('\n')
const bash = (command: string) => ({ name: 'Bash', input: { command } })
const write = (file: string, content: string) => ({ name: 'Write', input: { file_path: `${CWD}/${file}`, content } })
const edit = (from: string, to: string, file = 'old.txt') => ({
  name: 'Edit',
  input: { file_path: `${CWD}/${file}`, old_string: from, new_string: to },
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

const withOptions = (...labels: string[]) => ({
  question: 'Which colour?',
  options: labels.map((label) => ({ label })),
})
const questions = (...texts: string[]) => ({
  name: 'AskUserQuestion',
  input: { questions: texts.map((question) => ({ question, options: [] })) },
})

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
    ['overwrite', write('config.py', 'a = 1\nrm -rf / tmp/x\nb = 2\n')],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/1', prompt: 'read it' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats and dogs' } }],
    ['plan', { name: 'ExitPlanMode', input: {} }],
    ['question-plain', questions('Which colour?', 'Which size?')],
    ['question-review', questions('Which parts should I test?', 'Which size?')],
    ['question-plain', { name: 'AskUserQuestion', input: { questions: [withOptions('Red')] } }],
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
    ['write', write('note.txt', 'new text\nline 2\nand more\n')],
    ['write', write('note.txt', 'line 2\nnew text\n')],
    ['write-tall', write('sub/note.txt', `${ninety}\nand more`)],
    ['write-tall', write('sub/note.txt', `one more\n${ninety}`)],
    ['write', write('other.txt', 'new text\nline 2\n')],
    ['write', write('sub/note.txt', 'new text\nline 2\n')],
    ['edit', edit('two', 'THREE')],
    ['edit', edit('TWO', 'two')],
    ['edit', edit('two', 'TWO\nand more')],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/2', prompt: 'read it' } }],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid', prompt: 'read it' } }],
    ['fetch', { name: 'WebFetch', input: { url: 'https://example.invalid/1', prompt: 'read it all' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats and mice' } }],
    ['search', { name: 'WebSearch', input: { query: 'cats' } }],
    ['search', { name: 'WebSearch', input: {} }],
    ['search', { name: 'mcp__other__find', input: { query: 'cats and dogs' } }],
    ['question-plain', { name: 'AskUserQuestion', input: { questions: [{ question: 'Which size?', options: [] }] } }],
    ['question-plain', questions('Which colour?', 'Whichcolour?')],
    ['question-review', questions('Drop the tables now here?', 'Drop the tables nowhere?')],
    ['question-review', { name: 'AskUserQuestion', input: { questions: [withOptions('now here', 'nowhere')] } }],
    ['question-plain', bash('touch made.txt')],
    ['plan', bash('touch made.txt')],
    ['subagent', bash('touch sub.txt')],
    ['subagent', bySubagent('touch other.txt')],
    ['mcp', note({ text: 'buy milk', count: 3 })],
    ['mcp', note({ text: remark })],
    ['mcp', note({ text: remark, count: 3, more: true })],
    ['mcp-list', note({ text: 'buy milk', tags: ['a', 'c'] })],
    ['mcp-list', note({ text: 'buy', tags: ['a', 'b'] })],
    ['edit-part', write('config.py', '#   x = safe()\n#   x = evil()\n')],
    ['notebook', edit('print(1)', 'print(2)', 'n.ipynb')],
    ['notebook', write('n.ipynb', 'print(1)\nprint(2)')],
    ['monitor', bash('touch made.txt')],
    ['overwrite', edit('x = safe()', 'rm -rf / tmp/x', 'config.py')],
    ['mcp-list', { name: 'mcp__notes__add', input: { text: 'buy milk', tags: ['a', 'b'] } }],
    ['mcp-list', { name: 'mcp__other_notes__add_note', input: { text: 'buy milk', tags: ['a', 'b'] } }],
  ])('takes %s for no other call than its own: %j', (screen, call) => expect(shows(screen, call)).toBe(false))
})

describe('the rest of a long line of a diff', () => {
  const screen = recordedScreen('edit')
  const added = screen.findIndex((line) => line.startsWith(' 2 +TWO'))
  const dialog = readDialog([...screen.slice(0, added + 1), '    and more', ...screen.slice(added + 1)])

  it('[I2] counts, though no number stands before it', () => {
    if (!dialog) throw new Error('no dialog')
    expect(showsCall(dialog, edit('two', 'TWO'), CWD)).toBe(false)
    expect(showsCall(dialog, edit('two', 'TWO and more'), CWD)).toBe(true)
  })
})

/** How a call of each kind that the screen shows may be varied without a trace on it, or so that its own dialog does not fit. */
const notebook = {
  name: 'NotebookEdit',
  input: { notebook_path: `${CWD}/old.txt`, cell_id: 'cell-0', new_source: 'TWO' },
}
const overwritten = (content: string) => write('config.py', content)
const fetched = (url: string, prompt = 'read it') => ({ name: 'WebFetch', input: { url, prompt } })
const search = (input: Record<string, unknown>) => ({ name: 'WebSearch', input })
const CASES: readonly {
  screen: string
  shown: ShownCall
  rivals: readonly ShownCall[]
  others: readonly ShownCall[]
}[] = [
  {
    screen: 'edit',
    shown: edit('two', 'TWO'),
    rivals: [
      edit('two', 'T WO'),
      edit('wo', 'WO'),
      edit('one\ntwo', 'one\nTWO'),
      { ...edit('two', 'TWO'), input: { ...edit('two', 'TWO').input, replace_all: true } },
      write('old.txt', 'one\nTWO\nthree\n'),
      write('old.txt', '# two\n# TWO\n'),
      write('sub/old.txt', 'two TWO'),
      write('sub/../old.txt/.', 'two TWO'),
      write('old.txt\u200b', 'two TWO'),
      { name: 'Edit', input: { old_string: 'two', new_string: 'TWO' } },
      notebook,
    ],
    others: [write('cold.txt', 'two TWO'), bash("sed -i 's/two/TWO/' old.txt"), note({ text: 'two' })],
  },
  {
    screen: 'write',
    shown: write('note.txt', 'new text\nline 2\n'),
    rivals: [
      write('note.txt', 'new  text\nline 2\n'),
      write('note.txt', 'newtext\nline 2'),
      write('note.txt', 'new text\u200b\nline 2\n'),
      write('sub/note.txt', 'new text\nline 2\n'),
      { name: 'Edit', input: { file_path: 'note.txt', old_string: '', new_string: 'new text\nline 2\n' } },
    ],
    others: [write('notes.txt', 'new text'), edit('two', 'TWO')],
  },
  {
    screen: 'write-tall',
    shown: write('sub/note.txt', ninety),
    rivals: [write('other.txt', 'x'), write('sub/note.txt', `rm -rf /\n${ninety}`)],
    others: [bash(ninety)],
  },
  {
    screen: 'overwrite',
    shown: overwritten('a = 1\nrm -rf /tmp/x\nb = 2\n'),
    rivals: [
      overwritten('a = 1\nrm -rf / tmp/x\nb = 2\n'),
      overwritten('rm -rf /tmp/x\n'),
      { name: 'Edit', input: { file_path: 'config.py', old_string: 'x = safe()', new_string: 'rm -rf /tmp/x' } },
    ],
    others: [write('note.txt', 'x')],
  },
  {
    screen: 'bash',
    shown: bash('touch made.txt'),
    rivals: [
      bash('touch made .txt'),
      bash(`cd ${CWD} && touch made .txt`),
      bash('touch\u200b made.txt'),
      bash('touch made.txt\x1b]0;; touch more.txt\x07'),
      bash('touch evil.txt #\rtouch made.txt'),
      bash('touch made.txt \u2764\ufe0f'),
      bash('touch made.txt <fnr>'),
      bash('touch\n\nH: made.txt'),
      { name: 'Bash', input: { command: 'touch made.txt', run_in_background: true } },
      { name: 'Monitor', input: { command: 'touch made.txt' } },
    ],
    others: [
      bash('npm test'),
      write('made.txt', 'touch made.txt'),
      { name: 'Agent', input: { prompt: 'touch\n\n<x>' } },
    ],
  },
  {
    screen: 'bash-tall',
    shown: bash(many),
    rivals: [bash(`rm -rf /\n${many}`), { name: 'Monitor', input: { command: many } }, bash('npm test')],
    others: [note({ text: many }), { name: 'Agent', input: { prompt: 'touch\n\n<x>' } }],
  },
  {
    screen: 'fetch',
    shown: fetched('https://example.invalid/1'),
    rivals: [
      fetched('https://example.invalid/1', 'readit'),
      fetched('https://example.invalid/1', 'read it\u200b, and more'),
      fetched('https://example.invalid', 'read it'),
      fetched('https://example.invalid/\u200b1'),
    ],
    others: [fetched('https://example.invalid/2'), bash('curl https://example.invalid/1')],
  },
  {
    screen: 'search',
    shown: search({ query: 'cats and dogs' }),
    rivals: [
      search({ query: 'catsand dogs' }),
      search({ query: 'cats and dogs', allowed_domains: ['example.invalid'] }),
      note({ text: 'Web Search' }),
    ],
    others: [bash('echo cats and dogs'), { name: 'Agent', input: { prompt: 'cats' } }],
  },
  {
    screen: 'mcp-list',
    shown: note({ text: 'buy milk', tags: ['a', 'b'] }),
    rivals: [
      note({ text: 'buymilk', tags: ['a', 'b'] }),
      note({ text: 'something else' }),
      // A server may give a tool the title of another one.
      { name: 'mcp__notes__odd', input: { text: 'buy  milk', tags: ['a', 'b'] } },
    ],
    others: [bash('buy milk'), search({ query: 'milk' })],
  },
  {
    screen: 'question-plain',
    shown: { name: 'AskUserQuestion', input: { questions: [{ question: 'Which colour?', options: [] }] } },
    rivals: [
      { name: 'AskUserQuestion', input: { questions: [{ question: 'Whichcolour?', options: [] }] } },
      { name: 'AskUserQuestion', input: { questions: [{ question: 'Which size?', options: [] }] } },
    ],
    others: [bash('touch made.txt')],
  },
]

describe('a dialog that fits one call of several', () => {
  const taken = (screen: string, calls: readonly ShownCall[]) => {
    const dialog = readDialog(recordedScreen(screen))
    if (!dialog) throw new Error('no dialog')
    return shownCalls(dialog, calls, CWD)
  }

  it.each(CASES)(
    "[I2] is nobody's while another call may be the one that $screen asks about",
    ({ screen, shown, rivals }) => {
      expect(taken(screen, [shown])).toEqual([shown])
      for (const rival of rivals) {
        expect(taken(screen, [shown, rival]), JSON.stringify(rival)).toEqual([])
        expect(taken(screen, [{ ...rival, agentId: 'a1' }, shown]), JSON.stringify(rival)).toEqual([])
      }
    },
  )

  it.each(CASES)("is that call's where no other can be meant: $screen", ({ screen, shown, others }) => {
    expect(taken(screen, [...others, shown, { ...shown, agentId: 'a1' }])).toHaveLength(2)
  })

  it('[I2] is taken for no call of another tool, whatever both are called', () => {
    const calls = CASES.flatMap(({ shown, rivals, others }) => [shown, ...rivals, ...others])
    for (const { screen, shown } of CASES) {
      for (const call of calls) if (call.name !== shown.name) expect(taken(screen, [call]), screen).toEqual([])
    }
    report(`I2: ${calls.length} calls before ${CASES.length} dialogs, none was taken for another's`)
  })

  it('[I2] shows the new content of a file only where all of it is there, in its order', () => {
    for (const content of [
      'rm -rf /tmp/x\n',
      'a = 1\nb = 2\nrm -rf /tmp/x\n',
      'a = 1\nrm -rf /tmp/x\nb = 2\nc = 3\n',
    ]) {
      expect(taken('overwrite', [overwritten(content)]), content).toEqual([])
    }
    const long = Array.from({ length: 30 }, (_, n) => (n === 3 || n === 25 ? `new${n}` : `line ${n}`))
    expect(taken('overwrite-parts', [write('long.txt', long.join('\n'))])).toEqual([])
    const parts = [...long.slice(0, 7), ...long.slice(22, 29)].join('\n')
    expect(taken('overwrite-parts', [write('long.txt', parts)])).toEqual([])
  })
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
