import { type ReactNode, useId } from 'react'

export interface CheckBoxProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  onChange(checked: boolean): void
}

/** One of several that may be chosen together. */
export function CheckBox({ label, hint, checked, onChange }: CheckBoxProps) {
  const id = useId()
  return (
    <label className="flex min-h-11 cursor-pointer items-start gap-3 py-2 pointer-fine:min-h-9 pointer-fine:py-1.5">
      <input
        type="checkbox"
        checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint ? id : undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.75 size-4.5 shrink-0 accent-accent pointer-fine:size-4"
      />
      <span className="min-w-0 text-sm">
        <span id={`${id}-label`} className="wrap-anywhere">
          {label}
        </span>
        {hint && (
          <span id={id} className="block text-[13px] text-quiet">
            {hint}
          </span>
        )}
      </span>
    </label>
  )
}
