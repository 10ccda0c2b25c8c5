import type { ReactNode } from 'react'

const TONE = {
  plain: 'border-line text-quiet',
  accent: 'border-transparent bg-accent-bg text-accent',
  wait: 'border-transparent bg-wait-bg text-wait',
  deny: 'border-transparent bg-deny-bg text-deny',
  allow: 'border-transparent bg-allow-bg text-allow',
} as const

export function Chip({ tone = 'plain', children }: { tone?: keyof typeof TONE; children: ReactNode }) {
  return (
    <span
      className={`inline-flex max-w-full items-center gap-1 rounded-xl border px-2 py-px text-xs font-medium ${TONE[tone]}`}
    >
      {children}
    </span>
  )
}
