import { segments } from '@holdpoint/core/text/visible-text'
import { useMemo } from 'react'
import { LongCodeParts } from './code-parts.tsx'
import { foldsIn } from './folds.ts'
import { layout } from './layout.ts'

/** Text of any length inside something else, in a box of its own. */
export function LongText({ text }: { text: string }) {
  const parts = useMemo(() => layout(segments(text, { multiline: true }), [], foldsIn(text)), [text])
  return (
    <div className="my-0.5 rounded border-l-2 border-edge bg-panel px-2 py-0.5 [tab-size:4] wrap-anywhere whitespace-pre-wrap">
      <LongCodeParts parts={parts} />
    </div>
  )
}
