import type { LucideIcon } from 'lucide-react'
import { type ButtonHTMLAttributes, type MouseEvent, type Ref, useId } from 'react'

export type ButtonVariant = 'primary' | 'plain' | 'quiet' | 'deny'

const LOOK: Readonly<Record<ButtonVariant, string>> = {
  primary: 'border-accent bg-accent text-on-accent not-aria-disabled:hover:bg-accent-strong',
  plain: 'border-line bg-card text-ink not-aria-disabled:hover:border-edge',
  quiet:
    'border-transparent bg-transparent text-quiet not-aria-disabled:hover:bg-panel not-aria-disabled:hover:text-ink',
  deny: 'border-deny-line bg-card text-deny not-aria-disabled:hover:bg-deny-bg',
}

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  readonly variant?: ButtonVariant
  readonly icon?: LucideIcon
  /** Shown as switched off, but it keeps the focus: a button that vanishes from under the keyboard loses its place. */
  readonly off?: boolean
  /** Why it is off, for those who do not see the words beside it. */
  readonly why?: string | undefined
  /** Pressed while it is off: leads to what is missing. */
  onOff?(): void
  readonly busy?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'plain',
  icon: Icon,
  off,
  why,
  onOff,
  busy,
  onClick,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  const reason = useId()
  function refuse(event: MouseEvent) {
    event.preventDefault()
    if (off && !busy) onOff?.()
  }
  const isExplained = off && why !== undefined
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={off || busy || undefined}
      aria-busy={busy || undefined}
      aria-describedby={isExplained ? reason : rest['aria-describedby']}
      onClick={off || busy ? refuse : onClick}
      className={`inline-flex min-h-11 items-center justify-center gap-2 rounded-lg border px-3.5 text-sm font-medium whitespace-nowrap transition-colors motion-reduce:transition-none select-none focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent aria-disabled:cursor-default aria-disabled:opacity-55 pointer-fine:min-h-9 ${LOOK[variant]} ${className}`}
    >
      {busy ? <Spinner /> : Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      {children}
      {isExplained && (
        <span id={reason} hidden>
          {why}
        </span>
      )}
    </button>
  )
}

export function Spinner() {
  return (
    <span
      aria-hidden
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-t-transparent motion-reduce:animate-none"
    />
  )
}
