import { render, segments } from '@holdpoint/core/text/visible-text'
import { type ReactNode, useMemo } from 'react'
import { SeenRegion } from '../arming/seen-region.tsx'
import { LongCodeParts } from './code-parts.tsx'
import { foldsIn } from './folds.ts'
import { useHighlight } from './highlighted.tsx'
import { layout } from './layout.ts'

export interface CodeBlockProps {
  readonly text: string
  /** A grammar by shiki's name; colours come later and move nothing. */
  readonly language?: string
  /** What it is, for those who hear the page. */
  readonly label?: string
  /** A button in a line above. Left out where a person decides on the text: there is no such line. */
  readonly action?: ReactNode
  readonly maxHeight?: string
  readonly className?: string
  /** Called once when the end of the text has been on screen. */
  onEndSeen?(): void
}

const LONG_LINES = 20
const LONG_CHARACTERS = 1500

/** A whole text, monospaced and wrapped, never cut. */
export function CodeBlock(props: CodeBlockProps) {
  const { text, language, label = 'Code', action, maxHeight, className, onEndSeen } = props
  const looks = useHighlight(text, language)
  const whole = useMemo(() => ({ segments: segments(text, { multiline: true }), folds: foldsIn(text) }), [text])
  const parts = useMemo(() => layout(whole.segments, looks, whole.folds), [whole, looks])
  const lineCount = useMemo(() => text.split('\n').length, [text])
  const long = lineCount > LONG_LINES || text.length > LONG_CHARACTERS
  return (
    <SeenRegion
      label={label}
      content={text}
      maxHeight={maxHeight}
      className={className}
      head={
        action && (
          <>
            <span className="min-w-0 flex-1 truncate text-faint">{render(label)}</span>
            {action}
          </>
        )
      }
      footer={long && `${count(lineCount, 'line')} · ${count(text.length, 'character')}`}
      onEndSeen={onEndSeen}
    >
      <pre
        dir="ltr"
        className="m-0 px-3 py-2.5 font-mono text-[12.5px] leading-[1.6] [tab-size:4] wrap-anywhere whitespace-pre-wrap text-ink"
      >
        <code className="font-[inherit]">
          <LongCodeParts parts={parts} />
        </code>
      </pre>
    </SeenRegion>
  )
}

function count(number: number, unit: string): string {
  return `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`
}
