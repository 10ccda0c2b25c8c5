import { type ReactNode, useId } from 'react'

export interface ChoiceProps<Value extends string> {
  readonly legend: string
  readonly name: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint?: ReactNode }[]
  onChange(value: NoInfer<Value>): void
  /** Side by side, where the labels are short. */
  readonly inline?: boolean
}

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({ legend, name, value, options, onChange, inline }: ChoiceProps<Value>) {
  const id = useId()
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className={inline ? 'flex flex-wrap gap-2' : 'flex flex-col gap-2'}>
        {options.map((option) => (
          <label
            key={option.value}
            className={`flex min-h-11 cursor-pointer gap-3 rounded-lg border border-line bg-card px-3.5 py-2 transition-colors hover:border-edge has-checked:border-accent has-checked:bg-accent-bg has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${option.hint ? 'items-start max-sm:w-full' : 'items-center'}`}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
              aria-labelledby={`${id}-${option.value}`}
              aria-describedby={option.hint ? `${id}-${option.value}-hint` : undefined}
              className={`size-4 shrink-0 accent-accent outline-none ${option.hint ? 'mt-0.75' : ''}`}
            />
            <span className="min-w-0 text-sm">
              <span id={`${id}-${option.value}`} className="font-medium">
                {option.label}
              </span>
              {option.hint && (
                <span id={`${id}-${option.value}-hint`} className="block text-[13px] text-quiet">
                  {option.hint}
                </span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
