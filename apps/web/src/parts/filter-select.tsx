export interface FilterOption {
  readonly value: string
  readonly label: string
}

export interface FilterSelectProps {
  readonly label: string
  /** When nothing is chosen. */
  readonly any: string
  readonly options: readonly FilterOption[]
  readonly value: string
  onChange(value: string): void
}

/** One of the choices that narrow a list down. */
export function FilterSelect({ label, any, options, value, onChange }: FilterSelectProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`min-h-11 w-full min-w-0 truncate rounded-lg border bg-card px-2 text-base focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8.5 pointer-fine:text-sm ${value === '' ? 'border-line text-quiet' : 'border-accent text-ink'}`}
    >
      <option value="">{any}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
