import type { LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, Ref } from 'react'

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  readonly icon: LucideIcon
  /** What it does; there is no other text. */
  readonly label: string
  /** Shown as switched off, but it keeps the focus. */
  readonly off?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon: Icon, label, off, onClick, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      aria-disabled={off || undefined}
      onClick={off ? undefined : onClick}
      className={`inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-quiet transition-colors motion-reduce:transition-none not-aria-disabled:hover:bg-panel not-aria-disabled:hover:text-ink focus-visible:outline-2 focus-visible:outline-accent aria-disabled:cursor-default aria-disabled:opacity-50 pointer-fine:size-8 ${className}`}
    >
      <Icon aria-hidden className="size-4.5" />
    </button>
  )
}
