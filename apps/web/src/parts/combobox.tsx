import { type KeyboardEvent, type ReactNode, type Ref, useId, useState } from 'react'
import { INPUT } from './field.tsx'

export interface ComboboxOption {
  /** Stands in the field when it was picked. */
  readonly value: string
  readonly label: ReactNode
}

export interface ComboboxProps {
  readonly control: { readonly id: string; 'aria-describedby': string; 'aria-invalid': boolean | undefined }
  readonly value: string
  /** For what stands in the field now. */
  readonly options: readonly ComboboxOption[]
  /** Enter takes the first option, and not only one that was gone to. */
  readonly takesFirst: boolean
  /** What the options are. */
  readonly label: string
  /** Below them. */
  readonly note?: string | undefined
  readonly placeholder?: string
  readonly className?: string
  readonly ref?: Ref<HTMLInputElement>
  onChange(value: string): void
  /** Says whether the list goes on with what was picked. */
  onPick(value: string): boolean
}

/**
 * A field for one line of text, with a list of what it may go on with. The focus stays in the field: arrows go through the
 * list, Enter takes what is marked, Escape closes the list, Tab goes on as ever.
 */
export function Combobox(props: ComboboxProps) {
  const { control, value, options, takesFirst, label, note, placeholder, className = '', ref } = props
  const list = useId()
  const [isOpen, setIsOpen] = useState(false)
  const [marked, setMarked] = useState<string>()
  const isShown = isOpen && options.length > 0
  const gone = options.findIndex((option) => option.value === marked)
  const at = gone >= 0 ? gone : takesFirst ? 0 : -1
  const optionId = (index: number) => `${list}-${index}`

  function change(next: string, goesOn: boolean) {
    setMarked(undefined)
    setIsOpen(goesOn)
    props.onChange(next)
  }

  function pick(index: number) {
    const option = options[index]
    if (!option) return
    setMarked(undefined)
    setIsOpen(props.onPick(option.value))
  }

  function go(by: 1 | -1) {
    setIsOpen(true)
    if (options.length === 0) return
    // The first press opens the list, and marks what Enter would take.
    const from = isShown ? at : by > 0 ? Math.min(at, -1) : 0
    setMarked(options.at((from + by + options.length) % options.length)?.value)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || event.metaKey || event.ctrlKey) return
    if (event.key === 'ArrowDown') go(1)
    else if (event.key === 'ArrowUp') go(-1)
    else if (event.key === 'Enter' && isShown && at >= 0) pick(at)
    else if (event.key === 'Escape' && isShown) setIsOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="relative">
      <input
        {...control}
        ref={ref}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={isShown ? list : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isShown && at >= 0 ? optionId(at) : undefined}
        value={value}
        onChange={(event) => change(event.target.value, true)}
        onKeyDown={onKeyDown}
        onBlur={() => setIsOpen(false)}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        className={`${INPUT} ${className}`}
      />
      {isShown && (
        <div className="absolute inset-x-0 top-full z-20 mt-1 rounded-xl border border-line bg-card shadow-lift">
          <div id={list} role="listbox" aria-label={label} className="max-h-72 overflow-y-auto overscroll-contain p-1">
            {options.map((option, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: as above; the keys are the field's.
              <div
                key={option.value}
                id={optionId(index)}
                ref={index === at ? intoView : undefined}
                role="option"
                aria-selected={index === at}
                // A press does not take the focus from the field.
                onPointerDown={(event) => event.preventDefault()}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(index)}
                className="flex min-h-11 cursor-pointer items-center gap-2 rounded-lg px-2.5 text-sm hover:bg-panel aria-selected:bg-accent-bg pointer-fine:min-h-8"
              >
                {option.label}
              </div>
            ))}
          </div>
          {note !== undefined && <p className="border-t border-line px-3.5 py-2 text-xs text-quiet">{note}</p>}
        </div>
      )}
    </div>
  )
}

function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
