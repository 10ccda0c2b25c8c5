import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: LucideIcon
  /** What it does; there is no other text. */
  readonly label: string
}

export function IconButton({ icon: Icon, label, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-quiet transition-colors hover:bg-panel hover:text-ink focus-visible:outline-2 focus-visible:outline-accent disabled:opacity-50 pointer-fine:size-8 ${className}`}
    >
      <Icon aria-hidden className="size-4.5" />
    </button>
  )
}
