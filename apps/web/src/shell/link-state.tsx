import { useLink } from '@holdpoint/react/use-link'

const WORDS = { connecting: 'connecting…', live: 'live', stale: 'reconnecting…', 'logged-out': 'logged out' } as const
const DOTS = {
  connecting: 'bg-faint',
  live: 'bg-allow',
  stale: 'bg-wait animate-pulse motion-reduce:animate-none',
  'logged-out': 'bg-faint',
} as const

export function LinkStateLabel() {
  const { state } = useLink()
  return (
    <span className={`flex items-center gap-1.5 text-xs ${state === 'stale' ? 'text-wait' : 'text-quiet'}`}>
      <span aria-hidden className={`size-1.5 rounded-full ${DOTS[state]}`} />
      {WORDS[state]}
    </span>
  )
}
