import { useNow } from './now.tsx'
import { duration } from './text/ago.ts'

/** How long ago something was, kept up to date. */
export function Age({ since, suffix = '' }: { since: number; suffix?: string }) {
  const now = Math.max(useNow(), since)
  return (
    <time dateTime={new Date(since).toISOString()} title={new Date(since).toLocaleString()} className="tabular-nums">
      {duration(now - since)}
      {suffix}
    </time>
  )
}
