/** What became of a call that was allowed. */
export type Fate = 'ran' | 'refused unasked' | 'refused after the ask'

export interface EditCase {
  readonly name: string
  readonly tool: 'Edit' | 'Write' | 'NotebookEdit'
  /** What the file holds; left out, there is none. */
  readonly before?: string | Buffer
  readonly input: Readonly<Record<string, unknown>>
  readonly ending?: string
  /** The file is a link to this one. */
  readonly link?: string
  /** The agent has not read the file. */
  readonly unread?: true
  /** What somebody puts there while the call waits for its answer. */
  readonly meanwhile?: string
  /** Left out, it ran. */
  readonly fate?: Fate
  /** Our rules do not know the result. */
  readonly unknown?: true
}

/** Each case has a file of its own. */
export function fileOf({ name, tool, ending }: EditCase): string {
  return `${`${tool} ${name}`.replace(/[^A-Za-z0-9]+/g, '-')}${ending ?? '.txt'}`
}

type More = Omit<Partial<EditCase>, 'name' | 'tool' | 'before' | 'input'> & { readonly all?: true }

function edit(name: string, before: string | Buffer | undefined, from: string, to: string, more: More = {}): EditCase {
  const { all, ...rest } = more
  const input = { old_string: from, new_string: to, ...(all && { replace_all: true }) }
  return { name, tool: 'Edit', ...(before !== undefined && { before }), input, ...rest }
}

function write(name: string, before: string | Buffer | undefined, content: string, more: More = {}): EditCase {
  return { name, tool: 'Write', ...(before !== undefined && { before }), input: { content }, ...more }
}

const NOTEBOOK = JSON.stringify(
  {
    cells: [
      {
        cell_type: 'code',
        id: 'c1',
        metadata: {},
        execution_count: 3,
        outputs: [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }],
        source: ['print(1)\n', 'x=1'],
      },
      { cell_type: 'markdown', id: 'c2', metadata: {}, source: 'md' },
    ],
    metadata: { language_info: { name: 'python' } },
    nbformat: 4,
    nbformat_minor: 5,
  },
  null,
  2,
)

function notebook(name: string, input: Readonly<Record<string, unknown>>): EditCase {
  return { name, tool: 'NotebookEdit', before: NOTEBOOK, input, ending: '.ipynb', unknown: true }
}

const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const UNASKED: More = { fate: 'refused unasked' }

/** As they were measured, one row each. */
export const CASES: readonly EditCase[] = [
  edit('empty new, rest of line is a line end', 'keep # note\n/next\n', ' # note', ''),
  edit('empty new, whole line without its end', 'a\nb\nc\n', 'b', ''),
  edit('empty new, old ends with a line end', 'a\nb\nc\n', 'b\n', ''),
  edit('empty new, middle of a line', 'abc\n', 'b', ''),
  edit('empty new everywhere, some at line ends', 'x1\nx2 x\nx\n', 'x', '', { all: true }),
  edit('empty new everywhere, all at line ends', 'ax\nbx\ncx\n', 'x', '', { all: true }),
  edit('empty new at the end of the file', 'a\nb', 'b', ''),
  edit('empty new in a CRLF file', 'keep # note\r\n/next\r\n', ' # note', ''),
  edit('CRLF file, LF in the call', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny'),
  edit('CRLF file, CRLF in the call', 'a\r\nb\r\nc\r\n', 'a\r\nb', 'x\r\ny', UNASKED),
  edit('CRLF file, CRLF in the new text', 'a\r\nb\r\nc\r\n', 'b', 'x\r\ny', { unknown: true }),
  edit('CRLF far from the start', `${'x'.repeat(5000)}\na\r\nb\r\nc\r\n`, 'b', 'x\ny'),
  edit('LF far from the start', `a\r\n${'x'.repeat(5000)}\nb\nc\n`, 'b', 'x\ny'),
  edit('CRLF behind many letters of two bytes', `${'é'.repeat(3000)}\na\r\nb\r\nc\r\n`, 'b', 'x\ny'),
  edit('LF file, CRLF in the new text', 'a\nb\n', 'a', 'x\r\ny'),
  edit('mixed line ends, mostly LF', 'a\nb\nc\r\nd\n', 'b', 'x\ny'),
  edit('mixed line ends, mostly CRLF', 'a\r\nb\r\nc\nd\r\n', 'b', 'x\ny'),
  edit('mixed line ends, as many of each', 'a\r\nb\nc', 'b', 'x\ny'),
  edit('lone CR in the file', 'a\rb\nc\n', 'c', 'd'),
  edit('curly quotes in the file, straight in the call', 'say “hi” it’s\n', 'say "hi"', 'say "bye"'),
  edit('curly single in the file, straight in the call', 'it’s on\n', "it's on", "it's off"),
  edit('straight in the file, curly in the call', 'say "hi"\n', 'say “hi”', 'say “bye”'),
  edit(
    'curly quotes in the file, an apostrophe in the new text',
    'say “hi” now\n',
    'say "hi" now',
    'don\'t say "x" now',
  ),
  edit('curly single around words', 'a ‘b’ c\n', "a 'b' c", "('x') 'y' z'"),
  edit('trailing blanks in the new text', 'a x b\n', 'x', 'y   \n\tz  '),
  edit('trailing blanks in the new text of markdown', 'a x b\n', 'x', 'y   \n\tz  ', { ending: '.md' }),
  edit('trailing blanks in the old text', 'a x\nb\n', 'x  \nb', 'y', UNASKED),
  edit('overlapping matches everywhere', 'aaaaa\n', 'aa', 'b', { all: true }),
  edit('dollar signs', 'x y\n', 'x', "$& $1 $' $$ $`"),
  edit('dollar signs everywhere', 'x y x\n', 'x', '$& $$', { all: true }),
  edit('two matches', 'x x\n', 'x', 'y', UNASKED),
  edit('old equals new', 'x\n', 'x', 'x', UNASKED),
  edit('empty old, file has text', 'x\n', '', 'y', UNASKED),
  edit('empty old, file is empty', '', '', 'y'),
  edit('empty old, file is blank', '\n  \n', '', 'y'),
  edit('empty old, no file', undefined, '', 'y'),
  edit('old absent', 'x\n', 'q', 'y', UNASKED),
  edit('byte order mark', '\ufeffx\n', 'x', 'y'),
  edit('UTF-16 with its mark', utf16('x é\n'), 'x', 'y'),
  edit('a byte of Latin-1', Buffer.from([0x78, 0xe9, 0x0a]), 'x', 'y', UNASKED),
  edit('NFD in the file, NFC in the call', 'cafe\u0301 x\n', 'caf\u00e9 x', 'caf\u00e9 y', UNASKED),
  edit('no-break space in the file', 'a\u00a0b\n', 'a b', 'c', UNASKED),
  edit('tabs in the file, blanks in the call', '\ta\n', '    a', '    b', UNASKED),
  edit('tabs', '\ta\n\tb\n', '\ta', '\t\tc'),
  edit('short names, tag', 'A <function_results> B\n', 'A <fnr> B', 'C <fnr> D'),
  edit('short names, turn', 'x\n\nHuman: hi\n', '\n\nH: hi', '\n\nH: yo'),
  edit('line number in front', 'abc\n', '1\tabc', '1\txyz', UNASKED),
  edit('control characters', 'a\u0007b\n', 'a\u0007', 'c\u0000d'),
  edit('entities', 'a && b <c>\n', 'a &amp;&amp; b &lt;c&gt;', 'z &amp; y', UNASKED),
  write('new file', undefined, 'a  \nb\r\nc'),
  write('over an LF file', 'x\ny\n', 'a\nb  \n'),
  write('LF over a CRLF file', 'x\r\ny\r\n', 'a\nb\n'),
  write('CRLF over an LF file', 'x\ny\n', 'a\r\nb\r\n'),
  write('over a byte order mark', '\ufeffx\n', 'y\n'),
  write('over UTF-16', utf16('x\n'), 'y é\n'),
  write('over an empty file', '', 'y\n'),
  write('through a link', 'x\n', 'y\n', { ...UNASKED, link: 'write-target.txt' }),
  write('unread file', 'x\n', 'y\n', { unread: true }),
  edit('through a link', 'x\n', 'x', 'y', { ...UNASKED, link: 'edit-target.txt' }),
  edit('unread file', 'x\n', 'x', 'y', { unread: true }),
  edit('changed while it waited', 'x one\n', 'x', 'y', { meanwhile: 'pre x two\n' }),
  write('changed while it waited', 'x one\n', 'y\n', { fate: 'refused after the ask', meanwhile: 'pre x two\n' }),
  edit('changed while it waited, of the same size', 'x one\n', 'x', 'y', { meanwhile: 'x two\n' }),
  notebook('replaced cell', { cell_id: 'c1', new_source: 'print(2)\nprint(3)' }),
  notebook('inserted after a cell', { cell_id: 'c1', new_source: 'x', cell_type: 'markdown', edit_mode: 'insert' }),
  notebook('inserted in front', { new_source: 'x', cell_type: 'code', edit_mode: 'insert' }),
  notebook('deleted cell', { cell_id: 'c1', new_source: '', edit_mode: 'delete' }),
  notebook('cell by its place', { cell_id: 'cell-0', new_source: 'z' }),
]
