import type { Choice, Field } from '@holdpoint/core/form-fields'
import { useId } from 'react'
import { VisibleText } from '../text/visible-text.tsx'
import { type FieldValue, initialValue } from './form-values.ts'

interface FormFieldProps {
  readonly field: Field
  readonly value: FieldValue
  readonly error: string | undefined
  readonly off: boolean
  onChange(value: FieldValue): void
}

/** One field with its name, what it is for, and what is wrong with it. */
export function FormField(props: FormFieldProps) {
  const id = useId()
  const { field, error } = props
  const pattern = field.control.type === 'text' ? field.control.pattern : undefined
  const described = [
    field.description !== undefined && `${id}-about`,
    pattern !== undefined && `${id}-pattern`,
    error !== undefined && `${id}-error`,
  ]
  const input = {
    id,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error !== undefined,
    'aria-required': field.required,
  }
  const label = (
    <>
      <Titled title={field.title} value={field.name} />
      {field.required ? <span className="text-faint"> · required</span> : null}
    </>
  )
  const notes = (
    <>
      {field.description !== undefined && (
        <p id={`${id}-about`} className="text-[13px] text-quiet wrap-anywhere">
          <VisibleText text={field.description} multiline />
        </p>
      )}
      {pattern !== undefined && (
        <p id={`${id}-pattern`} className="text-[13px] text-quiet wrap-anywhere">
          Must match: <VisibleText text={pattern} code className="font-mono text-xs" />
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-[13px] text-deny">
          {error}
        </p>
      )}
    </>
  )
  if (field.control.type === 'boolean') {
    return (
      <div>
        <label className={CHOICE}>
          <input
            {...input}
            type="checkbox"
            checked={props.value === true}
            aria-disabled={props.off || undefined}
            onChange={(event) => props.onChange(event.target.checked)}
            className={TICK}
          />
          <span>{label}</span>
        </label>
        {notes}
      </div>
    )
  }
  if ('choices' in field.control) {
    return (
      <fieldset aria-describedby={input['aria-describedby']} className="min-w-0">
        <legend className="font-medium">{label}</legend>
        {notes}
        {field.control.type === 'choice' ? (
          <OneChoice {...props} choices={field.control.choices} />
        ) : (
          <Choices {...props} choices={field.control.choices} />
        )}
      </fieldset>
    )
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {notes}
      <TextControl {...props} input={input} />
      {field.control.type === 'text' && initialValue(field.control, field.initial) !== '' && (
        // A field shows one line of it, cut at its side, and shows no character that cannot be seen (T24, T73).
        <p className="text-[13px] text-quiet wrap-anywhere">
          Filled in for you: <VisibleText text={String(field.initial)} code multiline className="font-mono text-xs" />
        </p>
      )}
    </div>
  )
}

/** A title can say the opposite of what is sent under it, so that stands next to it. */
function Titled({ title, value }: { title: string; value: string }) {
  return (
    <span>
      <VisibleText text={title} />
      {title !== value && (
        <>
          {' '}
          <VisibleText text={value} code className="font-mono text-xs font-normal text-quiet" />
        </>
      )}
    </span>
  )
}

interface ChoicesProps extends FormFieldProps {
  readonly choices: readonly Choice[]
}

/** Never a list that opens: in that, a long choice is cut at its side (T73). */
function OneChoice({ field, choices, value, off, onChange }: ChoicesProps) {
  const name = useId()
  const all = field.required ? choices : [...choices, NONE]
  return (
    <div className="mt-1 flex flex-wrap gap-x-5">
      {all.map((choice, place) => (
        <label key={place} className={CHOICE}>
          <input
            type="radio"
            name={name}
            checked={value === choice.value}
            aria-disabled={off || undefined}
            onChange={() => onChange(choice.value)}
            className={TICK}
          />
          {choice === NONE ? <span>None</span> : <Titled title={choice.title} value={choice.value} />}
        </label>
      ))}
    </div>
  )
}

/** Leaves the field empty. */
const NONE: Choice = { value: '', title: '' }

function Choices({ choices, value, off, onChange }: ChoicesProps) {
  const chosen = Array.isArray(value) ? value : []
  return (
    <div className="mt-1 flex flex-wrap gap-x-5">
      {choices.map((choice) => (
        <label key={choice.value} className={CHOICE}>
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            aria-disabled={off || undefined}
            onChange={(event) =>
              onChange(
                choices
                  .map((entry) => entry.value)
                  .filter((entry) => (entry === choice.value ? event.target.checked : chosen.includes(entry))),
              )
            }
            className={TICK}
          />
          <Titled title={choice.title} value={choice.value} />
        </label>
      ))}
    </div>
  )
}

const CHOICE = 'flex min-h-11 min-w-0 items-center gap-2.5 pointer-fine:min-h-8'
const TICK = 'size-4.5 shrink-0 accent-accent aria-disabled:opacity-55'
const LOOK =
  'w-full min-h-11 scroll-mb-36 rounded-lg border border-edge bg-card px-3 text-base focus-visible:outline-2 focus-visible:outline-accent aria-invalid:border-deny pointer-fine:min-h-9 sm:text-sm'
const TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const
/** From here on a text has room for lines. */
const LONG = 200

function TextControl({
  field,
  value,
  off,
  onChange,
  input,
}: FormFieldProps & { input: Readonly<Record<string, unknown>> }) {
  const { control } = field
  const shared = {
    ...input,
    value: String(value),
    className: LOOK,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  if (control.type === 'number') {
    return <input {...shared} type="text" inputMode={control.integer ? 'numeric' : 'decimal'} readOnly={off} />
  }
  if (control.type !== 'text') return null
  if (control.format === undefined && (control.maxLength ?? 0) > LONG) {
    return <textarea {...shared} readOnly={off} rows={3} className={`${LOOK} field-sizing-content max-h-60 py-2`} />
  }
  return (
    <input
      {...shared}
      type={control.format ? TYPES[control.format] : 'text'}
      readOnly={off}
      autoComplete="off"
      dir="auto"
    />
  )
}
