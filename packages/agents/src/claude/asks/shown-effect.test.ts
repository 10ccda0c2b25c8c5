import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ask, AskRequest, type ToolInput } from '@holdpoint/schema/ask'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boundFiles } from './bound-files.ts'
import { fileChange } from './file-change.ts'
import { whyNotAsShown } from './shown-effect.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdpoint-shown-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** An ask about the file as it is. */
async function shown(tool: string, file: string, content: string | Buffer, input: ToolInput) {
  const path = join(folder, file)
  await writeFile(path, content)
  const named = { [tool === 'NotebookEdit' ? 'notebook_path' : 'file_path']: path, ...input }
  const change = await fileChange(tool, named, folder)
  const ask = { files: change?.file ? [change.file] : [], context: { diff: change?.diff } } as unknown as Ask
  const why = (response: unknown) => whyNotAsShown(ask, { toolUseId: 'x', name: tool, input: named, response })
  return { change, path, why }
}

const patch = (...lines: string[]) => [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }]

describe('T63 an edit whose result was not known', () => {
  const NOT_THERE = { old_string: 'one', new_string: 'two' }

  it('is told as such', async () => {
    const { change } = await shown('Edit', 'a.txt', 'zero\n', NOT_THERE)
    expect(change).toMatchObject({
      unknown: 'What this edit will write is not known.',
      diffOmitted: 'the text to replace was not found in the file',
      file: { use: 'edits' },
    })
    expect(change?.file?.after).toBeUndefined()
  })

  it.each([
    ['the text is not there', 'zero\n', 'zero\n'],
    ['the text is there twice', 'one one\n', 'one one\n'],
    ['nobody knows on which text it ran', 'zero\n', undefined],
  ])('raises the alarm when it ran all the same: %s', async (_, content, originalFile) => {
    const { path, why } = await shown('Edit', 'a.txt', content, NOT_THERE)
    await writeFile(path, 'two\n')
    expect(await why({ originalFile, structuredPatch: patch('-zero', '+two') })).toMatch(/than can be explained/)
  })

  it('is no alarm where the rules explain what it did to a file that was not compared', async () => {
    const large = `${'a line of text\n'.repeat(80_000)}one\n`
    const { change, path, why } = await shown('Edit', 'a.txt', large, NOT_THERE)
    expect(change?.unknown).toBe('What this edit will write is not known.')
    await writeFile(path, large.replace('one', 'two'))
    const report = { originalFile: large, structuredPatch: patch('-one', '+two') }
    expect(await why(report)).toBeUndefined()
    await writeFile(path, 'changed by a formatter')
    expect(await why(report)).toBeUndefined()
    expect(await why({ ...report, structuredPatch: patch('-one', '+three') })).toMatch(/than was shown/)
  })
})

it('T63 an edit far down says what is not known in as many letters as an ask holds', async () => {
  const deep = join(folder, ...Array.from({ length: 6 }, () => 'd'.repeat(200)))
  await mkdir(deep, { recursive: true })
  const file = join(deep, 'a.txt')
  await mkdir(file)
  const { filesUnknown } = await boundFiles({ name: 'Edit', input: { file_path: file, old_string: 'a' }, cwd: folder })
  expect(AskRequest.shape.filesUnknown.parse(filesUnknown)).toMatch(/^What this edit will write is not known\. /)
})

/** Nobody waits that long for a diff: each takes as long as any may. */
function eachDiffIsLate() {
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 3_600_000))
}

describe('T63 a change that would take too long to compare once more', () => {
  afterEach(() => void vi.restoreAllMocks())
  const lines = (mark: string) => Array.from({ length: 50 }, (_, at) => `${mark}${at}`)

  it('of a notebook is no alarm if it is the one that was shown', async () => {
    const [source, put] = [lines('a').join('\n'), lines('b').join('\n')]
    const book = (cell: object) => JSON.stringify({ cells: [{ cell_type: 'markdown', id: 'x', ...cell }] })
    const { change, why } = await shown('NotebookEdit', 'a.ipynb', book({ source }), { cell_id: 'x', new_source: put })
    expect(change?.diff).toContain('+b49')
    eachDiffIsLate()
    const done = { original_file: book({ source }), updated_file: book({ source: put }) }
    expect(await why(done)).toBeUndefined()
    expect(await why({ ...done, original_file: book({ source: `${source}!` }) })).toMatch(/not as it was/)
  })

  it('of a text is no alarm if the agent reports the one that was shown', async () => {
    const [old, put] = [lines('a'), lines('b')]
    const text = ['top', ...old, 'end', ''].join('\n')
    const input = { old_string: old.join('\n'), new_string: put.join('\n') }
    const { path, why } = await shown('Edit', 'a.txt', text, input)
    await writeFile(path, 'changed by a formatter')
    eachDiffIsLate()
    const report = (...added: string[]) => ({
      originalFile: text,
      structuredPatch: patch(' top', ...old.map((line) => `-${line}`), ...added.map((line) => `+${line}`), ' end'),
    })
    expect(await why(report(...put))).toBeUndefined()
    expect(await why({ originalFile: text, structuredPatch: [] })).toBeUndefined()
    for (const other of [put.slice(1), [...put, 'evil'], put.with(7, 'evil')])
      expect(await why(report(...other))).toMatch(/than was shown/)
  })
})

describe('T63 an edit of a notebook', () => {
  const cell = (id: string, source: string | string[]) => ({ cell_type: 'code', id, outputs: ['x'], source })
  const book = (...cells: unknown[]) => JSON.stringify({ cells, nbformat: 4, nbformat_minor: 5 })
  const BEFORE = book(cell('a', ['one\n', 'two']), cell('b', 'three'))
  const done = (source: string) => ({ ...cell('a', source), outputs: [], execution_count: null })
  const REPLACE = { cell_id: 'a', new_source: 'one\n2' }

  it.each([
    ['replaced', REPLACE, 'cell 1 of 2 (code), outputs emptied', ' one\n-two\n', '+2\n'],
    ['deleted', { cell_id: 'b', new_source: 'x', edit_mode: 'delete' }, 'cell 2 of 2 (code), deleted', '-three\n', ''],
    [
      'inserted',
      { cell_id: 'a', new_source: 'new', cell_type: 'markdown', edit_mode: 'insert' },
      'new cell 2 of 3 (markdown)',
      '@@\n',
      '+new\n',
    ],
    [
      'made another',
      { ...REPLACE, cell_type: 'markdown' },
      'cell 1 of 2 (code), made markdown, outputs emptied',
      '',
      '',
    ],
    ['as it was', { cell_id: 'b', new_source: 'three' }, 'cell 2 of 2 (code), outputs emptied', '', ''],
  ])('shows the cell as it was against its new source: %s', async (_, input, name, before, after) => {
    const { change } = await shown('NotebookEdit', 'a.ipynb', BEFORE, input)
    expect(change?.unknown).toBeUndefined()
    for (const part of [`--- ${name}`, before, after]) expect(change?.diff).toContain(part)
    expect(change?.file?.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([
    ['no such cell', BEFORE, { cell_id: 'c', new_source: 'x' }, /no such cell/],
    ['a place behind the last', BEFORE, { cell_id: 'cell-2', new_source: 'x' }, /no such cell/],
    ['no cell named', BEFORE, { new_source: 'x' }, /names no cell/],
    ['no notebook', '{"cells":[', REPLACE, /not a notebook/],
    ['cells of another form', book({ cell_type: 'code', id: 'a' }), REPLACE, /not a notebook/],
    ['a call of another form', BEFORE, { cell_id: 'a', new_source: 'x', edit_mode: 'move' }, /unknown form/],
  ])('says that its result is not known: %s', async (_, content, input, why) => {
    const { change } = await shown('NotebookEdit', 'a.ipynb', content, input)
    expect(change).toMatchObject({ unknown: 'What this edit will write is not known.' })
    expect(change?.diffOmitted).toMatch(why)
  })

  it('names no kind of cell that the file makes up', async () => {
    const hostile = book({ ...cell('a', 'x'), cell_type: 'code\n@@ -1 +1 @@\n-a\n+b' })
    const { change } = await shown('NotebookEdit', 'a.ipynb', hostile, REPLACE)
    expect(change?.diff?.split('\n')[0]).toMatch(/^--- cell 1 of 1 \(of an unknown kind\)/)
    expect(change?.diff).not.toContain('+b')
  })

  it.each([
    ['what was shown', BEFORE, book(done('one\n2'), cell('b', 'three')), undefined],
    [
      'what was shown, in a file with CRLF',
      BEFORE.replaceAll(',', ',\n'),
      book(done('one\n2'), cell('b', 'three')),
      undefined,
    ],
    ['another source', BEFORE, book(done('evil'), cell('b', 'three')), /than was shown/],
    ['another cell as well', BEFORE, book(done('one\n2'), cell('b', 'evil')), /than was shown/],
    ['no notebook at all', BEFORE, 'evil', /than was shown/],
    [
      'another text before',
      book(cell('a', 'x'), cell('b', 'three')),
      book(done('one\n2'), cell('b', 'three')),
      /not as it was/,
    ],
    [
      'another place',
      book(cell('b', 'three'), cell('a', 'one\ntwo')),
      book(cell('b', 'three'), done('one\n2')),
      /not as it was/,
    ],
    ['no report of it', undefined, undefined, /than can be explained/],
  ])('compares what it did with what was shown: %s', async (_, original, updated, alarm) => {
    const { why } = await shown('NotebookEdit', 'a.ipynb', BEFORE.replaceAll(',', ',\r\n'), REPLACE)
    const found = await why({ original_file: original, updated_file: updated })
    if (alarm) expect(found).toMatch(alarm)
    else expect(found).toBeUndefined()
  })
})
