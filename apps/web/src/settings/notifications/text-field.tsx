import type { ReactNode } from 'react'
import { Field, INPUT } from '../../parts/field.tsx'

export interface TextFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: string
  onChange(value: string): void
}

/** One line of text that no browser should correct or fill in. */
export function TextField({ label, hint, value, onChange }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <input
          {...control}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={INPUT}
        />
      )}
    </Field>
  )
}
