import { render } from '@holdpoint/core/text/visible-text'
import type { AskNotices } from '@holdpoint/schema/notification'
import { BellRing } from 'lucide-react'
import { useNow } from '../time/now.tsx'
import { noticeWords } from './notice-words.ts'

interface NoticeLineProps {
  readonly notices: AskNotices | undefined
  readonly raisedAt: number
  /** A fixed time, for pictures and tests; left out, the clock. */
  readonly now: number | undefined
}

/** How far the notifications of an open ask came; nothing where nobody was told. */
export function NoticeLine({ notices, raisedAt, now }: NoticeLineProps) {
  if (!notices) return null
  const line = { notices, raisedAt }
  return now === undefined ? <LiveLine {...line} /> : <Line {...line} now={now} />
}

type LineProps = { readonly notices: AskNotices; readonly raisedAt: number }

function LiveLine(props: LineProps) {
  return <Line {...props} now={useNow()} />
}

/**
 * One row, on a phone two, whatever it says: what is below it must not move. Where one row has no room, it is the first part
 * that is cut.
 */
function Line({ notices, raisedAt, now }: LineProps & { readonly now: number }) {
  const words = noticeWords(notices, { raisedAt, now })
  if (!words) return null
  const shown = (part: string) => render(part, { prose: true })
  const [told, seen] = [shown(words.told), shown(words.seen)]
  const { onPhone } = words
  return (
    <p className="flex px-4 pt-1 text-xs text-quiet tabular-nums sm:items-center" title={`${told}, ${seen}`}>
      <BellRing aria-hidden className="mt-px mr-1.5 size-3.5 shrink-0 sm:mt-0" />
      <span className="min-w-0 wrap-anywhere sm:hidden">
        {shown(onPhone.told)},<br />
        {shown(onPhone.seen)}
      </span>
      <span className="min-w-8 truncate max-sm:hidden">{told}</span>
      <span className="max-w-[65%] shrink-0 truncate whitespace-pre max-sm:hidden">, {seen}</span>
    </p>
  )
}
