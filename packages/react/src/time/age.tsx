import { memo } from 'react'
import { duration } from './ago.ts'
import { useNowAs } from './now.tsx'

/** How long ago something was, kept up to date. */
export const Age = memo(function Age({ since, suffix = '' }: { since: number; suffix?: string }) {
  const length = useNowAs((now) => duration(now - since))
  return (
    <time dateTime={new Date(since).toISOString()} title={new Date(since).toLocaleString()} className="tabular-nums">
      {length}
      {suffix}
    </time>
  )
})
