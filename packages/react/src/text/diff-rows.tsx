import type { Segment } from '@holdpoint/core/text/visible-text'
import { type CSSProperties, Fragment, memo } from 'react'
import { CodeParts, LongCodeParts } from './code-parts.tsx'
import { foldsIn } from './folds.ts'
import { MARKS_AT_ONCE } from './gradual.tsx'
import { type Look, layout } from './layout.ts'
import { useLineNotes } from './line-notes.tsx'
import type { DiffLine } from './unified-diff.ts'

/** A line with what was found out about it. */
export interface ShownLine extends DiffLine {
  readonly segments: readonly Segment[]
  readonly looks: readonly Look[]
}

const GROUND = { same: '', removed: 'bg-(--hp-code-removed)', added: 'bg-(--hp-code-added)' } as const
const SIGN = { same: ' ', removed: '−', added: '+' } as const

export interface ShownRow {
  readonly old: ShownLine | undefined
  readonly new: ShownLine | undefined
}

/** Rows are many: few elements each, and no state. */
export const UnifiedRows = memo(function UnifiedRows({
  lines,
  digits,
}: {
  lines: readonly ShownLine[]
  digits: number
}) {
  const notes = useLineNotes()
  const columns = { gridTemplateColumns: `${digits + 1.5}ch ${digits + 1.5}ch 2ch minmax(0, 1fr)` }
  return lines.map((line, index) => (
    <Fragment key={index}>
      <div data-line={line.kind} className={`grid pr-2 ${GROUND[line.kind]}`} style={columns}>
        {notes?.onPick ? <NumberButton line={line} onPick={notes.onPick} /> : <LineNumbers line={line} />}
        <span className="text-center text-quiet select-none">{SIGN[line.kind]}</span>
        <LineText line={line} />
      </div>
      {notes?.below(line)}
    </Fragment>
  ))
})

function LineNumbers({ line }: { line: ShownLine }) {
  return (
    <>
      <LineNumber value={line.oldNumber} />
      <LineNumber value={line.newNumber} />
    </>
  )
}

/** For a mouse. Whoever shows the diff has another way for keys and fingers: a tab stop on each line would be in the way. */
function NumberButton({ line, onPick }: { line: ShownLine; onPick(line: DiffLine): void }) {
  const name = line.kind === 'removed' ? `removed line ${line.oldNumber}` : `line ${line.newNumber}`
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Comment on ${name}`}
      title={`Comment on ${name}`}
      onClick={() => onPick(line)}
      className="col-span-2 grid cursor-pointer grid-cols-subgrid hover:bg-accent hover:[&>span]:text-on-accent"
    >
      <LineNumbers line={line} />
    </button>
  )
}

export const SideRows = memo(function SideRows({ rows, digits }: { rows: readonly ShownRow[]; digits: number }) {
  const side = { gridTemplateColumns: `${digits + 1.5}ch 2ch minmax(0, 1fr)` }
  return rows.map((row, index) => (
    <div key={index} className="grid grid-cols-2">
      <Side line={row.old} number={row.old?.oldNumber} columns={side} />
      <Side line={row.new} number={row.new?.newNumber} columns={side} />
    </div>
  ))
})

interface SideProps {
  readonly line: ShownLine | undefined
  readonly number: number | undefined
  readonly columns: CSSProperties
}

function Side({ line, number, columns }: SideProps) {
  if (!line) return <div className="border-line bg-panel not-first:border-l" />
  return (
    <div
      data-line={line.kind}
      className={`grid border-line pr-2 not-first:border-l ${GROUND[line.kind]}`}
      style={columns}
    >
      <LineNumber value={number} />
      <span className="text-center text-quiet select-none">{SIGN[line.kind]}</span>
      <LineText line={line} />
    </div>
  )
}

function LineNumber({ value }: { value: number | undefined }) {
  return (
    <span aria-hidden className="pr-[0.75ch] text-right text-quiet select-none">
      {value}
    </span>
  )
}

function LineText({ line }: { line: ShownLine }) {
  const parts = layout(line.segments, line.looks, foldsIn(line.text))
  return (
    <span className="[tab-size:4] wrap-anywhere whitespace-pre-wrap">
      {line.text.length > MARKS_AT_ONCE ? <LongCodeParts parts={parts} /> : <CodeParts parts={parts} />}
      {line.noNewline && (
        <span className="pl-2 font-sans text-xs text-wait select-none">no newline at end of file</span>
      )}
    </span>
  )
}
