import { Clock } from 'lucide-react'
import { useEffect } from 'react'
import { duration } from './ago.ts'
import { useNow } from './now.tsx'

const SOON_MS = 60_000

/** How long something still waits. Calls back when its time is up. */
export function TimeLeft({ expiresAt, onLate }: { expiresAt: number; onLate(): void }) {
  const left = expiresAt - useNow()
  const isLate = left <= 0
  useEffect(() => {
    if (isLate) onLate()
  }, [isLate])
  return (
    <span
      title={`Times out ${new Date(expiresAt).toLocaleString()}`}
      className={`flex shrink-0 items-center gap-1 tabular-nums ${left < SOON_MS ? 'font-medium text-wait' : 'text-quiet'}`}
    >
      <Clock aria-hidden className="size-3.5" />
      {duration(left)} left
    </span>
  )
}
