import { type CSSProperties, useState } from 'react'
import type { Fold } from './text/folds.ts'
import type { Look, Part } from './text/layout.ts'
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

function appearance(look: Look): {
  className?: string
  style?: CSSProperties
} {
  return {
    ...(look.emphasis && { className: 'rounded-xs bg-(--hp-code-emphasis)' }),
    ...(look.color && { style: { color: look.color } }),
  }
}

function FoldMark({ fold, text }: { fold: Fold; text: string }) {
  const [open, setOpen] = useState(false)
  const said = `${fold.count.toLocaleString('en')} ${fold.unit}`
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        title={open ? `Fold the ${said}` : `Show the ${said}`}
        onClick={() => setOpen(!open)}
        className="mx-0.5 min-h-11 rounded-full border border-wait-line bg-wait-bg px-2 font-sans text-xs leading-4 text-wait select-none hover:border-wait focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-0"
      >
        {fold.unit === 'spaces' ? `· ${said} ·` : `⋯ ${said} ⋯`}
      </button>
      {open ? text : fold.unit === 'blank lines' && '\n'}
    </>
  )
}
