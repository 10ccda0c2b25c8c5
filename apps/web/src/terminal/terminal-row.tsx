import { type CSSProperties, memo } from 'react'
import { cssColour } from './colours.ts'
import type { Line, Run } from './runs.ts'

export interface TerminalRowProps {
  readonly line: Line
  readonly top: number
  readonly height: number
}

/** One line. Each run is a box with a fixed width that its text cannot leave, and is plain text. */
export const TerminalRow = memo(
  function TerminalRow({ line, top, height }: TerminalRowProps) {
    return (
      <div
        dir="ltr"
        className="absolute inset-x-0 overflow-hidden whitespace-pre"
        style={{ top, height, lineHeight: `${height}px` }}
      >
        {line.runs.map((run, index) => (
          <span key={index} className={lookOf(run)} style={styleOf(run, height)}>
            {run.text}
          </span>
        ))}
      </div>
    )
  },
  (one, other) => one.line.key === other.line.key && one.top === other.top && one.height === other.height,
)

function lookOf(run: Run): string {
  return [
    'inline-block overflow-hidden align-top [unicode-bidi:isolate-override]',
    run.bold && 'font-bold',
    run.italic && 'italic',
    run.underline && run.strike ? '[text-decoration-line:underline_line-through]' : undefined,
    run.underline && !run.strike && 'underline',
    run.strike && !run.underline && 'line-through',
    run.hides && 'outline-1 -outline-offset-1 outline-[#f7bd4a] outline-dotted',
  ]
    .filter(Boolean)
    .join(' ')
}

function styleOf(run: Run, height: number): CSSProperties {
  return {
    width: `${run.cells}ch`,
    height,
    ...(run.ink !== undefined && { color: cssColour(run.ink) }),
    ...(run.ground !== undefined && { backgroundColor: cssColour(run.ground) }),
  }
}
