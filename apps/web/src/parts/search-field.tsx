import { Kbd } from '@holdpoint/react/ui/kbd'
import { Search } from 'lucide-react'
import type { Ref } from 'react'

export interface SearchFieldProps {
  readonly words: string
  onChange(words: string): void
  readonly label: string
  readonly placeholder: string
  readonly ref?: Ref<HTMLInputElement>
  /** The key that leads to it, shown where there is a keyboard. */
  readonly shortcut?: string
}

export function SearchField({ words, onChange, label, placeholder, ref, shortcut }: SearchFieldProps) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-faint"
      />
      <input
        ref={ref}
        type="search"
        value={words}
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
        aria-label={label}
        aria-keyshortcuts={shortcut}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        className="peer min-h-11 w-full rounded-lg border border-line bg-card pr-2 pl-8.5 text-base placeholder:text-faint focus-visible:outline-2 focus-visible:outline-accent pointer-fine:min-h-8.5 pointer-fine:text-sm"
      />
      {shortcut !== undefined && (
        <span
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-2 hidden -translate-y-1/2 peer-focus:hidden pointer-fine:peer-placeholder-shown:not-peer-focus:block"
        >
          <Kbd>{shortcut}</Kbd>
        </span>
      )}
    </div>
  )
}
