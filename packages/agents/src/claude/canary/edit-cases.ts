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
  /** Whether the agent has read the file: left out, it has for a `Write` or a `NotebookEdit`. */
  readonly read?: boolean
  /** What somebody puts there while the call waits for its answer. */
  readonly meanwhile?: string
  /** Left out, it ran. */
  readonly fate?: Fate
  /** Our rules do not know the result. */
  readonly unknown?: true
  /** It ran, and our rules cannot explain how. */
  readonly alarm?: true
  /** The folder of the file, where there is none yet. */
  readonly folder?: string
}

/** Each case has a file of its own. */
export function fileOf({ name, tool, ending, folder = '' }: EditCase): string {
  return `${folder}${`${tool} ${name}`.replace(/[^A-Za-z0-9]+/g, '-')}${ending ?? '.txt'}`
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

type Fields = Readonly<Record<string, unknown>>

const OUTPUTS = [{ output_type: 'stream', name: 'stdout', text: ['1\n'] }]

function cell(id: string | undefined, type: string, source: unknown, more: Fields = {}): Fields {
  const code = type === 'code' && { execution_count: 3, outputs: OUTPUTS }
  return { cell_type: type, ...(id !== undefined && { id }), metadata: {}, ...code, source, ...more }
}

function notebookOf(cells: readonly Fields[], minor = 5): string {
  const metadata = { language_info: { name: 'python' } }
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: minor }, null, 2)
}

const NOTEBOOK = notebookOf([cell('c1', 'code', ['print(1)\n', 'x=1']), cell('c2', 'markdown', 'md')])
const WITHOUT_IDS = notebookOf([cell(undefined, 'code', 'a=1'), cell(undefined, 'code', ['b=2\n', 'c=3'])], 4)

function notebook(name: string, input: Fields, more: Partial<EditCase> = {}): EditCase {
  return { name, tool: 'NotebookEdit', before: NOTEBOOK, input, ending: '.ipynb', ...more }
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
  edit('CRLF file, CRLF in the new text', 'a\r\nb\r\nc\r\n', 'b', 'x\r\ny\nz'),
  edit('CRLF file, CR in the new text', 'a\r\nb\r\n', 'b', 'x\ry'),
  edit('CRLF file, CR CR LF in the new text', 'a\r\nb\r\n', 'b', 'x\r\r\ny'),
  edit('CRLF file, CR at the end of the new text', 'a\r\nb\r\n', 'b', 'x\r'),
  edit('CR CR LF in a CRLF file', 'a\r\r\nb\r\nc\r\n', 'c', 'd'),
  edit('CR CR LF in all lines', 'a\r\r\nb\r\r\nc\r\r\n', 'c', 'd\ne'),
  edit('CR CR CR LF', 'a\r\r\r\nb\r\nc\r\n', 'c', 'd'),
  edit('CR CR LF in an LF file', 'a\r\r\nb\nc\nd\n', 'd', 'e'),
  edit('CR CR LF in UTF-16', utf16('a\r\r\nb\r\n'), 'b', 'x\ny'),
  edit('CR CR LF, matched with CRLF', 'a\r\r\nb\r\nc\r\n', 'a\r\nb', 'x'),
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
  write('unread file', 'x\n', 'y\n', { read: false }),
  edit('through a link', 'x\n', 'x', 'y', { ...UNASKED, link: 'edit-target.txt' }),
  edit('file that was read', 'x\n', 'x', 'y', { read: true }),
  edit('changed while it waited', 'x one\n', 'x', 'y', { read: true, meanwhile: 'pre x two\n' }),
  write('changed while it waited', 'x one\n', 'y\n', { fate: 'refused after the ask', meanwhile: 'pre x two\n' }),
  edit('changed while it waited, of the same size', 'x one\n', 'x', 'y', { read: true, meanwhile: 'x two\n' }),
  edit('overlapping places', 'aaa\n', 'aa', 'b'),
  edit('overlapping places, empty new', 'aaa\nc\n', 'aa', ''),
  edit('overlapping line ends', 'x\n\n\ny\n', '\n\n', '\n-\n'),
  edit('overlapping curly quotes', '“““\n', '""', 'x'),
  edit('two places that do not overlap', 'aaaa\n', 'aa', 'b', UNASKED),
  edit('escape in the file', 'caf\\u00e9 x\n', 'café x', 'café y'),
  edit('escape in the file, other characters in the new text', 'caf\\u00e9 x\n', 'café x', 'tè “ü”\u00a0😀 $&'),
  edit(
    'escape in the file, control characters in the new text',
    'caf\\u00e9 x\n',
    'café x',
    'a\u0007b\u007fc\u0080d\tz',
  ),
  edit('escape in the file, empty new', 'a\ncaf\\u00e9 x\nb\n', 'café x', ''),
  edit('escape in the file, large letters', 'caf\\u00C9 x\n', 'cafÉ x', 'tè ü É x'),
  edit('escape in the file, large and small letters', 'caf\\u00Eb x\n', 'cafë x', 'tè ü ë'),
  edit('escape in the file, no letters', 'a\\u2019 x\n', 'a’ x', 'tè ü ’'),
  edit('escape in the file, no letters and large ones', '\\u2019 \\u00C9 x\n', '’ É x', 'ü'),
  edit('escapes in the file, spelled in two ways', '\\u00C9 \\u00e9 x\n', 'É é x', 'ü é É'),
  edit('escapes of one character, spelled in two ways', '\\u00e9 \\u00E9 x\n', 'é é x', 'é ü é é'),
  edit('two places, spelled in two ways', '\\u00e9 then \\u00E9\n', 'é', 'ü'),
  edit('two places everywhere, spelled in two ways', '\\u00E9 then \\u00e9\n', 'é', 'ü', { all: true }),
  edit('escape in the file, two places', '\\u00e9 \\u00e9\n', 'é', 'è', UNASKED),
  edit('escape in the file, everywhere', '\\u00e9 \\u00e9\n', 'é', 'è', { all: true }),
  edit('escape and character in the file', 'é1 \\u00e91\n', 'é1', 'è'),
  edit('escape beside a character in the file', 'é \\u00e9\n', 'é é', 'è è', UNASKED),
  edit('escape in a CRLF file', 'caf\\u00e9 x\r\nb\r\n', 'café x\nb', 'café y\nc'),
  edit('two escapes for one character in the file', 'x \\ud83d\\ude00 y\n', 'x 😀 y', 'x 😀 z'),
  edit('escapes of curly quotes in the file', 'say \\u201chi\\u201d\n', 'say “hi”', 'say “yo” "it\'s"'),
  edit('escapes of curly quotes, straight in the call', 'say \\u201chi\\u201d\n', 'say "hi"', 'x', UNASKED),
  edit('escape of an ASCII letter in the file', '\\u0041bc\n', 'Abc', 'Abd', UNASKED),
  edit('escape behind one backslash in the file', 'caf\\\\u00e9 x\n', 'caf\\é x', 'y', UNASKED),
  edit('escape behind two backslashes in the file', 'a\\\\\\u00e9 x\n', 'é x', 'b é'),
  edit('escape behind a place that will not do', 'a\\\\u00e9 x \\u00e9 x\n', 'é x', 'y', UNASKED),
  edit('other escapes in the file', 'caf\\xe9 x\n', 'café x', 'y', UNASKED),
  // A call's own escapes are read before anybody is asked; `\u005c` leaves a backslash behind.
  edit('escape in the call', 'café x\n', 'caf\\u00e9 x', 'caf\\u00e9 y'),
  edit('escape left in the call', 'café x\n', 'caf\\u005cu00e9 x', 'caf\\u005cu00e9 y \\u005cu00FC ü'),
  edit('escape left in the call and in the file', 'caf\\u00e9 x\n', 'caf\\u005cu00e9 x', 'caf\\u005cu00e9 y ü'),
  edit('escape left in the call, of ASCII', 'Abc\n', '\\u005cu0041bc', '\\u005cu0041\\u005cu000ad'),
  edit('escape left beside a character', 'éé x\n', 'é\\u005cu00e9 x', 'y\\u005cu00fc'),
  edit('escape left beside a character, escapes in the file', '\\u00e9\\u00fc x\n', 'é\\u005cu00fc x', 'y', {
    unknown: true,
    alarm: true,
  }),
  edit('escape left in the call, backslashes', 'é\n', '\\u005cu00e9', 'a\\u005c\\u005cu00fc \\u005cu0000'),
  edit('escape left in the call, overlapping places', 'ééé\n', '\\u005cu00e9\\u005cu00e9', 'y'),
  edit('escape left in the call, CRLF file', 'é x\r\ny\r\n', '\\u005cu00e9 x\ny', 'a\\u005cu000ab'),
  edit('escape left in the call, curly quotes first', '“\\u00e9” "é"\n', '"\\u005cu00e9"', 'y \\u005cu00fc'),
  edit(
    'escapes of curly quotes left in the call',
    '“x”\n',
    '\\u005cu201cx\\u005cu201d',
    '"y" \\u005cu0022z\\u005cu0022',
  ),
  edit('escape left in the call before a quote', '“é”\n', '“\\u005cu00e9”', '\\u005cu0020"y"'),
  edit('escape left in the call, curly in the file', '“é”\n', '"\\u005cu00e9"', 'y', UNASKED),
  edit('byte order mark alone, empty old', '\ufeff', '', 'x\n'),
  edit('byte order mark and a line end, empty old', '\ufeff\n', '', 'x\n'),
  edit('byte order mark alone, one in the new text', '\ufeff', '', '\ufeffx\n'),
  edit('byte order mark of UTF-16 alone, empty old', utf16('\r\n'), '', 'x é\n'),
  edit('byte order mark and text, empty old', '\ufeffa\n', '', 'x\n', UNASKED),
  edit('byte order mark everywhere', '\ufeffa\nb\ufeff\n', '\ufeff', 'x', { all: true }),
  edit('half a character of UTF-16 at the end', Buffer.concat([utf16('x\n'), Buffer.from('A')]), 'x', 'y', {
    unknown: true,
  }),
  edit('NUL far from the start', `${'a\n'.repeat(6000)}q\0\nb\n`, 'b', 'c', { unknown: true }),
  edit('more than a mebibyte', `${'a line of text\n'.repeat(72_000)}b\n`, 'b', 'c', { unknown: true }),
  edit('empty old, no folder', undefined, '', 'y\n', { folder: 'no-1/such/' }),
  edit('old text, no folder', undefined, 'x', 'y\n', { folder: 'no-2/such/', ...UNASKED }),
  write('no folder', undefined, 'y\n', { folder: 'no-3/such/' }),
  notebook('replaced cell', { cell_id: 'c1', new_source: 'print(2)\nprint(3)' }),
  notebook('replaced cell of markdown', { cell_id: 'c2', new_source: 'a\nb\n' }),
  notebook('cell made markdown', { cell_id: 'c1', new_source: 'a', cell_type: 'markdown' }),
  notebook('cell made code', { cell_id: 'c2', new_source: 'a', cell_type: 'code' }),
  notebook('inserted after a cell', { cell_id: 'c1', new_source: 'x', cell_type: 'markdown', edit_mode: 'insert' }),
  notebook('inserted in front', { new_source: 'x', cell_type: 'code', edit_mode: 'insert' }),
  notebook('inserted, empty name of a cell', { cell_id: '', new_source: 'x', cell_type: 'code', edit_mode: 'insert' }),
  notebook('inserted after a place', { cell_id: 'cell-1', new_source: 'x', cell_type: 'code', edit_mode: 'insert' }),
  notebook(
    'inserted where cells have no id',
    { cell_id: 'cell-0', new_source: 'x', cell_type: 'code', edit_mode: 'insert' },
    { before: WITHOUT_IDS },
  ),
  notebook('inserted, kind left out', { cell_id: 'c1', new_source: 'x', edit_mode: 'insert' }, UNASKED),
  notebook('deleted cell', { cell_id: 'c1', new_source: '', edit_mode: 'delete' }),
  notebook('deleted cell, with a source', { cell_id: 'c2', new_source: 'z', edit_mode: 'delete' }),
  notebook('cell by its place', { cell_id: 'cell-0', new_source: 'z' }),
  notebook('cell by its place, with a nought', { cell_id: 'cell-01', new_source: 'z' }),
  notebook('cell by its place, no ids', { cell_id: 'cell-1', new_source: 'z' }, { before: WITHOUT_IDS }),
  notebook(
    'cell whose id looks like a place',
    { cell_id: 'cell-1', new_source: 'z' },
    { before: notebookOf([cell('cell-1', 'code', 'a'), cell('q', 'code', 'b')]) },
  ),
  notebook(
    'two cells of one id',
    { cell_id: 'q', new_source: 'z' },
    { before: notebookOf([cell('q', 'code', 'a'), cell('q', 'code', 'b')]) },
  ),
  notebook('place behind the last', { cell_id: 'cell-2', new_source: 'z' }, UNASKED),
  notebook('no such cell', { cell_id: 'zz', new_source: 'z' }, UNASKED),
  notebook('no cell named', { new_source: 'z' }, UNASKED),
  notebook('CRLF file', { cell_id: 'c2', new_source: 'a\nb' }, { before: NOTEBOOK.replaceAll('\n', '\r\n') }),
  notebook(
    'laid out otherwise',
    { cell_id: 'c2', new_source: 'a\r\nb  \n' },
    { before: `${JSON.stringify(JSON.parse(NOTEBOOK))}\n` },
  ),
  notebook(
    'raw cell with more in it',
    { cell_id: 'c1', new_source: 'a' },
    { before: notebookOf([cell('c1', 'raw', 'r', { attachments: { x: {} }, big: 12345678901234567000 })]) },
  ),
  notebook('through a link', { cell_id: 'c1', new_source: 'z' }, { ...UNASKED, link: 'notebook-target.ipynb' }),
  notebook(
    'changed while it waited',
    { cell_id: 'c2', new_source: 'z' },
    { fate: 'refused after the ask', meanwhile: NOTEBOOK.replace('md', 'other') },
  ),
]
