import { type ReactNode, useId } from 'react'

export interface SwitchProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly checked: boolean
  onChange(checked: boolean): void
}

export function Switch({ label, hint, checked, onChange }: SwitchProps) {
  const id = useId()
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-4">
      <span className="min-w-0 flex-1">
        <span id={`${id}-label`} className="block text-sm font-medium">
          {label}
        </span>
        {hint && (
          <span id={id} className="block text-[13px] text-quiet">
            {hint}
          </span>
        )}
      </span>
      <input
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="peer sr-only"
      />
      <span
        aria-hidden
        className="relative h-6 w-10.5 shrink-0 rounded-full bg-edge transition-colors peer-checked:bg-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-accent after:absolute after:top-0.75 after:left-0.75 after:size-4.5 after:rounded-full after:bg-white after:transition-transform peer-checked:after:translate-x-4.5 dark:after:bg-bg"
      />
    </label>
  )
}
