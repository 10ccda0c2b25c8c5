import { canonicalJson } from '@holdpoint/schema/json'
import { z } from 'zod'

const Cell = z.looseObject({
  id: z.string().optional(),
  cell_type: z.string(),
  source: z.union([z.string(), z.array(z.string())]),
})
type Cell = z.infer<typeof Cell>
const Notebook = z.looseObject({ cells: z.array(Cell) })
type Notebook = z.infer<typeof Notebook>

const Call = z.looseObject({
  cell_id: z.string().optional(),
  new_source: z.string(),
  cell_type: z.enum(['code', 'markdown']).optional(),
  edit_mode: z.enum(['replace', 'insert', 'delete']).default('replace'),
})

/** Named in the head of a diff, which must not hold just any text. */
const KINDS = new Set(['code', 'markdown', 'raw'])
const NO_CELL = 'there is no such cell in the notebook'

/** What a `NotebookEdit` does to one cell, by Claude Code's own rules, as measured (see docs/claude-code.md). */
export interface NotebookChange {
  /** Which cell, for people. */
  readonly cell: string
  readonly before: string
  readonly after: string
  /** Whether a notebook is this one with the change. How its file is laid out is another matter, and so is a new cell's id. */
  isMadeIn(text: string): boolean
}

export function notebookChange(
  text: string,
  input: Readonly<Record<string, unknown>>,
): NotebookChange | { readonly why: string } {
  const call = Call.safeParse(input)
  if (!call.success) return { why: 'the call has an unknown form' }
  const notebook = notebookIn(text)
  if (!notebook) return { why: 'the file is not a notebook of a known format' }
  const { cell_id: id, new_source: source, cell_type: type, edit_mode: mode } = call.data
  const { cells } = notebook
  const at = id ? placeOf(cells, id) : undefined
  if (mode === 'insert') {
    if (id && at === undefined) return { why: NO_CELL }
    if (!type) return { why: 'the call does not say which kind of cell it adds' }
    const place = at === undefined ? 0 : at + 1
    const made = {
      cell_type: type,
      source,
      metadata: {},
      ...(type === 'code' && { execution_count: null, outputs: [] }),
    }
    return {
      cell: `new cell ${place + 1} of ${cells.length + 1} (${type})`,
      before: '',
      after: source,
      isMadeIn: (result) => {
        const found = notebookIn(result)
        // Its id is drawn at random.
        const drawn = found?.cells[place]?.id
        const cell = drawn === undefined ? made : { ...made, id: drawn }
        return isSame(found, { ...notebook, cells: cells.toSpliced(place, 0, cell) })
      },
    }
  }
  const old = at === undefined ? undefined : cells[at]
  if (at === undefined || !old) return { why: id ? NO_CELL : 'the call names no cell' }
  const kind = KINDS.has(old.cell_type) ? old.cell_type : 'of an unknown kind'
  const place = `cell ${at + 1} of ${cells.length} (${kind})`
  const before = typeof old.source === 'string' ? old.source : old.source.join('')
  if (mode === 'delete') {
    return {
      cell: `${place}, deleted`,
      before,
      after: '',
      isMadeIn: (result) => isSame(notebookIn(result), { ...notebook, cells: cells.toSpliced(at, 1) }),
    }
  }
  const put: Cell = {
    ...old,
    source,
    ...(old.cell_type === 'code' && { execution_count: null, outputs: [] }),
    ...(type && { cell_type: type }),
  }
  const made = type && type !== old.cell_type ? `, made ${type}` : ''
  const emptied = old.cell_type === 'code' && hasRun(old) ? ', outputs emptied' : ''
  return {
    cell: place + made + emptied,
    before,
    after: source,
    isMadeIn: (result) => isSame(notebookIn(result), { ...notebook, cells: cells.with(at, put) }),
  }
}

function hasRun({ outputs, execution_count: count }: Cell): boolean {
  return (Array.isArray(outputs) && outputs.length > 0) || (count !== undefined && count !== null)
}

/** By its id, the first of that; else `cell-0` by its place. */
function placeOf(cells: readonly Cell[], id: string): number | undefined {
  const named = cells.findIndex((cell) => cell.id === id)
  if (named >= 0) return named
  const place = /^cell-(\d+)$/.exec(id)?.[1]
  return place !== undefined && Number(place) < cells.length ? Number(place) : undefined
}

function notebookIn(text: string): Notebook | undefined {
  try {
    return Notebook.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function isSame(found: Notebook | undefined, wanted: Notebook): boolean {
  return found !== undefined && canonicalJson(found) === canonicalJson(wanted)
}
