import { Search } from 'lucide-react'

export interface SearchFieldProps {
  readonly words: string
  onChange(words: string): void
  readonly label: string
  readonly placeholder: string
}

export function SearchField({ words, onChange, label, placeholder }: SearchFieldProps) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
      />
      <input
        type="search"
        value={words}
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
        aria-label={label}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        className="min-h-11 w-full rounded-lg border border-line bg-card pr-2 pl-8.5 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8.5 pointer-fine:text-sm"
      />
    </div>
  )
}
