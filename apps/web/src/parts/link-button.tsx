import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

export interface LinkButtonProps {
  readonly href: string
  readonly icon?: LucideIcon
  readonly primary?: boolean
  readonly children: ReactNode
}

/** Goes somewhere, and looks like a button. */
export function LinkButton({ href, icon: Icon, primary = false, children }: LinkButtonProps) {
  const look = primary
    ? 'border-accent bg-accent text-on-accent hover:bg-accent-strong'
    : 'border-line bg-card hover:border-edge'
  return (
    <Link
      href={href}
      className={`inline-flex min-h-11 items-center justify-center gap-2 rounded-lg border px-3.5 text-sm font-medium transition-colors focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent pointer-fine:min-h-9 ${look}`}
    >
      {Icon && <Icon aria-hidden className="size-4" />}
      {children}
    </Link>
  )
}
