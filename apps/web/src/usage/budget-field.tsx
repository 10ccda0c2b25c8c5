import type { Budget } from '@holdpoint/schema/usage'
import type { Ref } from 'react'
import { Field, INPUT } from '../parts/field.tsx'

/** Why what was typed is no budget, if so. Nothing typed is none. */
export function budgetFailure(typed: string, of: 'usd' | 'tokens' = 'usd'): string | undefined {
  const text = typed.trim().replace(/^\$/, '')
  if (text === '') return undefined
  const amount = Number(text)
  if (of === 'tokens')
    return Number.isSafeInteger(amount) && amount > 0 && amount <= 1e12 ? undefined : 'A whole number.'
  return amount > 0 && amount <= 1_000_000 ? undefined : 'An amount, such as 5 or 0.50.'
}

export function budgetOf({ usd, tokens = '' }: { readonly usd: string; readonly tokens?: string }): Budget {
  const text = usd.trim().replace(/^\$/, '')
  return {
    ...(text !== '' && { usd: Number(text) }),
    ...(tokens.trim() !== '' && { tokens: Number(tokens.trim()) }),
  }
}

/** For a session that is about to start. */
export function BudgetField({
  value,
  onChange,
  ref,
}: {
  readonly value: string
  onChange(value: string): void
  readonly ref: Ref<HTMLInputElement>
}) {
  return (
    <Field
      label="Budget in US dollars"
      failure={budgetFailure(value)}
      hint="From then on every call asks you, and messages wait until you raise it. Empty: no limit."
    >
      {(control) => (
        <input
          {...control}
          ref={ref}
          inputMode="decimal"
          autoComplete="off"
          placeholder="No limit"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={INPUT}
        />
      )}
    </Field>
  )
}
