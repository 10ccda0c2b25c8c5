import { memo } from 'react'
import { CodeParts } from './code-parts.tsx'
import { foldsIn } from './text/folds.ts'
import { type Look, layout } from './text/layout.ts'
import type { DiffLine } from './text/unified-diff.ts'
import type { Segment } from './text/visible-text.ts'

/** A line with what was found out about it. */
export interface ShownLine extends DiffLine {
  readonly segments: readonly Segment[]
  readonly looks: readonly Look[]
}

const GROUND = { same: '', removed: 'bg-(--hp-code-removed)', added: 'bg-(--hp-code-added)' } as const
const SIGN = { same: ' ', removed: '−', added: '+' } as const
const SPOKEN = { same: '', removed: 'removed: ', added: 'added: ' } as const

export interface ShownRow {
  readonly old: ShownLine | undefined
  readonly new: ShownLine | undefined
}

export const UnifiedRows = memo(function UnifiedRows({
  lines,
  digits,
}: {
  lines: readonly ShownLine[]
  digits: number
}) {
  return lines.map((line, index) => (
    <div
      key={index}
      data-line={line.kind}
      className={`grid ${GROUND[line.kind]}`}
      style={{ gridTemplateColumns: `${digits + 1.5}ch ${digits + 1.5}ch minmax(0, 1fr)` }}
    >
      <LineNumber value={line.oldNumber} />
      <LineNumber value={line.newNumber} />
      <LineText line={line} />
    </div>
  ))
})

export const SideRows = memo(function SideRows({ rows, digits }: { rows: readonly ShownRow[]; digits: number }) {
  return rows.map((row, index) => (
    <div
      key={index}
      className="grid"
      style={{ gridTemplateColumns: `${digits + 1.5}ch minmax(0, 1fr) ${digits + 1.5}ch minmax(0, 1fr)` }}
    >
      <Side line={row.old} number={row.old?.oldNumber} />
      <Side line={row.new} number={row.new?.newNumber} edge />
    </div>
  ))
})

function Side({ line, number, edge }: { line: ShownLine | undefined; number: number | undefined; edge?: boolean }) {
  const ground = line ? GROUND[line.kind] : 'bg-panel'
  return (
    <>
      <div className={`${ground} ${edge ? 'border-l border-line' : ''}`}>
        <LineNumber value={number} />
      </div>
      <div data-line={line?.kind} className={ground}>
        {line && <LineText line={line} />}
      </div>
    </>
  )
}

function LineNumber({ value }: { value: number | undefined }) {
  return (
    <div aria-hidden className="pr-[0.75ch] text-right text-quiet select-none">
      {value}
    </div>
  )
}

function LineText({ line }: { line: ShownLine }) {
  return (
    <div className="grid grid-cols-[2ch_minmax(0,1fr)] pr-2">
      <span aria-hidden className="text-center text-quiet select-none">
        {SIGN[line.kind]}
      </span>
      <span className="[tab-size:4] wrap-anywhere whitespace-pre-wrap">
        {line.kind !== 'same' && <span className="sr-only">{SPOKEN[line.kind]}</span>}
        <CodeParts parts={layout(line.segments, line.looks, foldsIn(line.text))} />
        {line.noNewline && (
          <span className="pl-2 font-sans text-xs text-wait select-none">no newline at end of file</span>
        )}
      </span>
    </div>
  )
}
