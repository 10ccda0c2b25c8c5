import { ChevronDown, ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { SeenRegion } from '../arming/seen-region.tsx'
import { type JsonRow, jsonRows, literal, unfolded } from './json-rows.ts'
import { LongText } from './long-text.tsx'
import { codeMarks } from './marks-in.ts'
import { portion } from './portion.ts'
import { VisibleText } from './visible-text.tsx'

export interface JsonTreeProps {
  /** Compared by identity: another object is another content, whose end must be seen again. */
  readonly value: unknown
  readonly label?: string
  readonly maxHeight?: string
  /** Called once when the end of the tree has been on screen with nothing folded. */
  onEndSeen?(): void
}

const COST_AT_ONCE = 2000
const DEEPEST_INDENT = 16
const LONG_STRING = 80

/** Any JSON, all of it: open from the start, one line for each value. */
export function JsonTree({ value, label = 'Input', maxHeight, onEndSeen }: JsonTreeProps) {
  const rows = useMemo(() => jsonRows(value), [value])
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const [limit, setLimit] = useState(COST_AT_ONCE)
  const open = useMemo(() => unfolded(rows, folded), [rows, folded])
  const toggle = (id: number) =>
    setFolded((before) => (before.has(id) ? without(before, id) : new Set([...before, id])))
  const { shown } = useMemo(() => portion(open, costOfRow, limit), [open, limit])
  const more = open.length - shown.length
  return (
    <SeenRegion
      label={label}
      content={value}
      incomplete={more > 0 || folded.size > 0}
      maxHeight={maxHeight}
      footer={rows.length > 40 && `${rows.length.toLocaleString('en')} lines`}
      onEndSeen={onEndSeen}
    >
      <div dir="ltr" className="py-1.5 font-mono text-[12.5px] leading-5">
        {shown.map((row) => (
          <Row key={row.id} row={row} folded={folded.has(row.id)} onToggle={toggle} />
        ))}
        {more > 0 && (
          <button
            type="button"
            onClick={() => setLimit(limit + COST_AT_ONCE)}
            className="m-2 min-h-11 rounded-lg border border-line bg-card px-3 font-sans text-sm text-ink hover:border-edge focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8"
          >
            Show more: {more.toLocaleString('en')} lines left
          </button>
        )}
      </div>
    </SeenRegion>
  )
}

/** A row, and each mark in it; a long text draws its own marks in steps. */
function costOfRow({ key = '', shape, value }: JsonRow): number {
  const text = shape === 'value' && typeof value === 'string' ? value : ''
  return 1 + Math.min(codeMarks(key) + codeMarks(text), COST_AT_ONCE / 2)
}

function without(all: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const rest = new Set(all)
  rest.delete(id)
  return rest
}

function Row({ row, folded, onToggle }: { row: JsonRow; folded: boolean; onToggle: (id: number) => void }) {
  const [left, right] = Array.isArray(row.value) ? ['[', ']'] : ['{', '}']
  const indent = Math.min(row.depth, DEEPEST_INDENT)
  return (
    <div
      className="flex items-start gap-x-1 pr-3"
      // Never more than two fifths of the width: deep values keep room to be read in (T73).
      style={{ paddingLeft: `calc(${indent} * min(1.1rem, 2.5%) + 0.25rem)` }}
    >
      <span className="flex w-5 shrink-0 justify-center">
        {row.shape === 'open' && (
          <button
            type="button"
            aria-expanded={!folded}
            aria-label={folded ? 'Open' : 'Fold'}
            onClick={() => onToggle(row.id)}
            // A finger would need a larger one than a line has room for; nothing is folded from the start.
            className="hidden size-5 items-center justify-center rounded text-faint pointer-fine:flex hover:bg-panel hover:text-ink focus-visible:outline-2 focus-visible:outline-accent"
          >
            {folded ? (
              <ChevronRight aria-hidden className="size-3.5" />
            ) : (
              <ChevronDown aria-hidden className="size-3.5" />
            )}
          </button>
        )}
      </span>
      <div className="min-w-0 flex-1">
        {row.depth > DEEPEST_INDENT && <span className="text-faint select-none">level {row.depth} </span>}
        {row.key !== undefined && (
          <>
            {row.key === '' ? <span className="text-faint">(empty name)</span> : <Key name={row.key} />}
            <span className="text-faint">: </span>
          </>
        )}
        {row.index !== undefined && <span className="text-faint select-none">{row.index}: </span>}
        {row.shape === 'close' && <span className="text-quiet">{right}</span>}
        {row.shape === 'empty' && <span className="text-quiet">{`${left}${right}`}</span>}
        {row.shape === 'open' && (
          <span className="text-quiet">
            {left}
            {folded && ` ${row.size} folded ${right}`}
          </span>
        )}
        {row.shape === 'value' &&
          (typeof row.value === 'string' ? (
            <Text text={row.value} />
          ) : (
            <span className="text-(--hp-code-token-constant)">{literal(row.value)}</span>
          ))}
      </div>
    </div>
  )
}

/** A name that could be taken for the tree's own signs is quoted. */
function Key({ name }: { name: string }) {
  const plain = /^[\p{L}\p{N}_$.@/-]+$/u.test(name)
  return <VisibleText code text={plain ? name : JSON.stringify(name)} className="text-(--hp-code-token-keyword)" />
}

/** Short text in quotes; long text, or text that could be taken for the end of its own quotes, in a box. */
function Text({ text }: { text: string }) {
  if (text.length <= LONG_STRING && !/["\\\n]/.test(text)) {
    return <VisibleText code text={`"${text}"`} className="text-(--hp-code-token-string)" />
  }
  return <LongText text={text} />
}
