import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

const TONE = {
  plain: 'border-line bg-panel text-quiet',
  wait: 'border-wait-line bg-wait-bg text-wait',
  deny: 'border-deny-line bg-deny-bg text-deny',
} as const

export interface NoticeProps {
  readonly tone?: keyof typeof TONE
  readonly icon?: LucideIcon
  readonly children: ReactNode
  /** A button or two, at the end. */
  readonly action?: ReactNode
  readonly role?: 'alert' | 'status'
}

export function Notice({ tone = 'plain', icon: Icon, children, action, role }: NoticeProps) {
  return (
    <div
      role={role}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border px-4 py-3 text-sm ${TONE[tone]}`}
    >
      {Icon && <Icon aria-hidden className="size-4.5 shrink-0" />}
      <div className="min-w-0 flex-1 basis-52">{children}</div>
      {action}
    </div>
  )
}
