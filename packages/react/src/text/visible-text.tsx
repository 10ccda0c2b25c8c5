import { describe, type Escape, type Segment, segments } from '@holdpoint/core/text/visible-text'
import { TriangleAlert } from 'lucide-react'
import { memo, useMemo, useState } from 'react'
import { sameShallow } from '../hooks/same-shallow.ts'
import { FoldMark } from './fold-mark.tsx'
import { foldsIn } from './folds.ts'
import { MARKS_AT_ONCE, useGradual } from './gradual.tsx'
import { layout, type Part } from './layout.ts'
import { cutAtRuns, RIGHT_TO_LEFT, rightToLeftRuns } from './right-to-left.ts'

export interface VisibleTextProps {
  readonly text: string
  readonly className?: string
  /** Line feeds and tabs are laid out; without it they are escaped. */
  readonly multiline?: boolean
  /** In a text of several lines that stands in one line, a line feed is a quiet sign instead of an escape. */
  readonly joinLines?: boolean
  /**
   * A command, a path, an address or an input. Left to right whatever it says: what is written first stands first. Every word
   * that looks Latin and is not is marked.
   */
  readonly code?: boolean
}

/** Any text from an agent, a file or a network, with nothing hidden in it. */
export const VisibleText = memo(function VisibleText({
  text,
  className = '',
  multiline = false,
  joinLines = false,
  code = false,
}: VisibleTextProps) {
  const parts = useMemo(() => segments(text, { multiline, prose: !code }), [text, multiline, code])
  return (
    <span
      dir={code ? 'ltr' : 'auto'}
      className={`wrap-anywhere ${multiline ? 'whitespace-pre-wrap' : '[white-space-collapse:preserve]'} ${className}`}
    >
      {/* Few have many marks, and most are many themselves: those get by without a state. */}
      {text.length > MARKS_AT_ONCE ? (
        <TextInSteps text={text} parts={parts} code={code} multiline={multiline} joinLines={joinLines} />
      ) : (
        <ShortText parts={parts} code={code} joinLines={joinLines} />
      )}
    </span>
  )
})

interface ShortTextProps {
  readonly parts: readonly Segment[]
  readonly code: boolean
  readonly joinLines: boolean
}

function ShortText({ parts, code, joinLines }: ShortTextProps) {
  return parts.map((part, index) => {
    if (part.kind === 'escape') return <Mark key={index} of={part} joinLines={joinLines} />
    return code ? <LeftToRight key={index} text={part.text} /> : part.text
  })
}

interface TextInStepsProps {
  readonly text: string
  readonly parts: readonly Segment[]
  readonly code: boolean
  readonly multiline: boolean
  readonly joinLines: boolean
}

/** In steps, and without emptiness: a million empty lines are a million lines to lay out. */
function TextInSteps({ text, parts, code, multiline, joinLines }: TextInStepsProps) {
  const all = useMemo(() => {
    const laidOut = layout(parts, [], multiline ? foldsIn(text) : [])
    return code ? laidOut.flatMap(cutAtRuns) : laidOut
  }, [text, parts, code, multiline])
  const { shown, more } = useGradual(all, { costOf: code ? costOfCode : costOfWords })
  return (
    <>
      {shown.map((part) => {
        if (part.kind === 'escape') return <Mark key={part.at} of={part.escape} joinLines={joinLines} />
        if (part.kind === 'fold') return <FoldMark key={part.at} fold={part.fold} text={part.text} />
        return code ? <LeftToRight key={part.at} text={part.text} /> : part.text
      })}
      {more}
    </>
  )
}

function costOfWords(part: Part): number {
  return part.kind === 'text' ? 0 : 1
}

function costOfCode(part: Part): number {
  return part.kind === 'text' ? rightToLeftRuns(part.text) : 1
}

/** A sign `⏎` of the text itself is an escape in code: nobody can write this mark. */
function Mark({ of, joinLines }: { of: Escape; joinLines: boolean }) {
  if (!joinLines || !of.source.startsWith('\n')) return <EscapeMark of={of} />
  return (
    <span title={of.count === 1 ? 'new line' : `${of.count} new lines`} className="text-faint">
      {' ⏎ '}
    </span>
  )
}

export function EscapeMark({ of }: { of: Escape }) {
  return (
    <span
      dir="ltr"
      data-escape={of.reason}
      title={`${of.shown.slice(1, -1)} ${of.name}`}
      className="rounded-sm bg-wait-bg px-px font-mono text-[0.92em] text-wait ring-1 ring-wait-line ring-inset"
    >
      {of.shown}
    </span>
  )
}

/**
 * Each Arabic or Hebrew word on its own. Without that, two of them with signs or digits between make one run from the
 * right, and `א/1 ב` reads as another path than the one that is meant.
 */
export function LeftToRight({ text }: { text: string }) {
  if (!RIGHT_TO_LEFT.test(text)) return text
  return text.split(RIGHT_TO_LEFT).map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <bdi key={index} dir="rtl">
        {piece}
      </bdi>
    ),
  )
}

export interface EscapeWarningProps {
  /** What is shown as code. */
  readonly texts?: readonly string[]
  /** What is shown as words. */
  readonly prose?: readonly string[]
}

const NONE: readonly string[] = []

/** Says that something was escaped, and what. Nothing when nothing was. */
export function EscapeWarning({ texts = NONE, prose = NONE }: EscapeWarningProps) {
  const [judged, setJudged] = useState(() => ({ texts, prose, said: describe(texts, prose) }))
  // Callers make a new list each time they draw; a megabyte is judged again only when it is another one.
  const isSame = sameShallow(judged.texts, texts) && sameShallow(judged.prose, prose)
  const current = isSame ? judged : { texts, prose, said: describe(texts, prose) }
  if (current !== judged) setJudged(current)
  const { said } = current
  if (!said) return null
  return (
    <p className="flex items-start gap-2 rounded-lg border border-wait-line bg-wait-bg px-2.5 py-1.5 text-[13px] leading-5 text-wait">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {said}
    </p>
  )
}
