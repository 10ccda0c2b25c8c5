import { Markdown } from '@holdpoint/react/text/markdown'
import { VisibleText } from '@holdpoint/react/text/visible-text'
import { CircleAlert, Info } from 'lucide-react'
import type { Row } from './thread-rows.ts'

/** What prints Markdown begins with a heading; elsewhere each line is a line. */
const HEADING = /^#{1,6} /

/** What nobody said: what went wrong, or what a command of the agent's own printed. */
export function NoticeRow({ item: { level, text } }: Pick<Extract<Row, { kind: 'notice' }>, 'item'>) {
  const isError = level === 'error'
  return (
    <div className={`flex items-start gap-2 text-[13px] ${isError ? 'text-deny' : 'text-quiet'}`}>
      {isError ? (
        <CircleAlert aria-label="Error" className="mt-0.5 size-4 shrink-0" />
      ) : (
        <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      )}
      <div className="min-w-0 wrap-anywhere">
        {!isError && HEADING.test(text) ? <Markdown text={text} /> : <VisibleText text={text} multiline />}
      </div>
    </div>
  )
}
