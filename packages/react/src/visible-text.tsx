import { describe, type Escape, segments } from '@holdpoint/core/text/visible-text'
import { TriangleAlert } from 'lucide-react'
import { useMemo } from 'react'

export interface VisibleTextProps {
  readonly text: string
  readonly className?: string
  /** Line feeds and tabs are laid out; without it they are escaped. */
  readonly multiline?: boolean
  /** Left to right whatever it says: what is written first in a command stands first. */
  readonly code?: boolean
  /** The whole that `text` is a piece of, if it is one. */
  readonly context?: string
}

/** Any text from an agent, a file or a network, with nothing hidden in it. */
export function VisibleText({ text, className = '', multiline = false, code = false, context }: VisibleTextProps) {
  const parts = useMemo(() => segments(text, { multiline, context }), [text, multiline, context])
  return (
    <span
      dir={code ? 'ltr' : 'auto'}
      className={`wrap-anywhere ${multiline ? 'whitespace-pre-wrap' : '[white-space-collapse:preserve]'} ${className}`}
    >
      {parts.map((part, index) =>
        part.kind === 'plain' ? (
          code ? (
            <LeftToRight key={index} text={part.text} />
          ) : (
            part.text
          )
        ) : (
          <EscapeMark key={index} of={part} />
        ),
      )}
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

const RIGHT_TO_LEFT = /([\p{Script_Extensions=Hebrew}\p{Script_Extensions=Arabic}\p{Script_Extensions=Thaana}]+)/u

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

export type EscapeWarningProps = { readonly text: string } | { readonly texts: readonly string[] }

/** Says that something was escaped, and what. Nothing when nothing was. */
export function EscapeWarning(props: EscapeWarningProps) {
  const said = describe('text' in props ? [props.text] : props.texts)
  if (!said) return null
  return (
    <p className="flex items-start gap-2 rounded-lg border border-wait-line bg-wait-bg px-2.5 py-1.5 text-[13px] leading-5 text-wait">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      {said}
    </p>
  )
}
