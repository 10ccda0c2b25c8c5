import { useLink } from '@holdpoint/react/hooks/use-link'

const LOOKS = {
  connecting: { words: 'connecting…', dot: 'bg-faint', text: 'text-quiet' },
  live: { words: 'live', dot: 'bg-allow', text: 'text-quiet' },
  stale: { words: 'reconnecting…', dot: 'bg-wait animate-pulse motion-reduce:animate-none', text: 'text-wait' },
  'logged-out': { words: 'logged out', dot: 'bg-faint', text: 'text-quiet' },
} as const
const FOREIGN = { words: 'not your gateway', dot: 'bg-deny', text: 'text-deny' } as const

export function LinkStateLabel() {
  const { state, notTheGateway } = useLink()
  const { words, dot, text } = notTheGateway ? FOREIGN : LOOKS[state]
  return (
    <span className={`flex items-center gap-1.5 text-xs ${text}`}>
      <span aria-hidden className={`size-1.5 rounded-full ${dot}`} />
      {words}
    </span>
  )
}
