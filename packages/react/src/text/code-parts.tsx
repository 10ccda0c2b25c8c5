import { type CSSProperties, memo, useMemo } from 'react'
import { FoldMark } from './fold-mark.tsx'
import { useGradual } from './gradual.tsx'
import type { Look, Part } from './layout.ts'
import { cutAtRuns, rightToLeftRuns } from './right-to-left.ts'
import { EscapeMark, LeftToRight } from './visible-text.tsx'

/** Laid-out code: coloured, with escapes, and with long emptiness folded. */
export function CodeParts({ parts }: { parts: readonly Part[] }) {
  return parts.map((part) => {
    if (part.kind === 'fold') return <FoldMark key={part.at} fold={part.fold} text={part.text} />
    if (part.kind === 'escape') return <EscapeMark key={part.at} of={part.escape} />
    const text = <LeftToRight key={part.at} text={part.text} />
    if (!part.look) return text
    return (
      <span key={part.at} {...appearance(part.look)}>
        {text}
      </span>
    )
  })
}

/** The same for a text of any length, in steps. */
export const LongCodeParts = memo(function LongCodeParts({ parts }: { parts: readonly Part[] }) {
  const cut = useMemo(() => parts.flatMap(cutAtRuns), [parts])
  const { shown, more } = useGradual(cut, { costOf: costOfPart })
  return (
    <>
      <CodeParts parts={shown} />
      {more}
    </>
  )
})

function costOfPart(part: Part): number {
  return part.kind === 'text' ? rightToLeftRuns(part.text) : 1
}

function appearance(look: Look): {
  className?: string
  style?: CSSProperties
} {
  return {
    ...(look.emphasis && { className: 'rounded-xs bg-(--hp-code-emphasis)' }),
    ...(look.color && { style: { color: look.color } }),
  }
}
