import { type Choice, type Control, type FormSchema, fieldsOf } from '@holdpoint/core/form-fields'

/** What a person has entered so far: text as typed, a tick, or the ticked choices. */
export type FieldValue = string | boolean | readonly string[]

/** What the form starts with: the schema's defaults, as they would have been typed. */
export function initialValues(schema: FormSchema | undefined): ReadonlyMap<string, FieldValue> {
  return new Map(fieldsOf(schema).map((field) => [field.name, initialValue(field.control, field.initial)]))
}

/** What one field starts with. */
export function initialValue(control: Control, given: unknown): FieldValue {
  if (control.type === 'boolean') return given === true
  if (control.type === 'choices') {
    return Array.isArray(given) ? given.map(String).filter((value) => has(control.choices, value)) : []
  }
  if (control.type === 'number') return typeof given === 'number' ? String(given) : ''
  if (control.type === 'choice') return typeof given === 'string' && has(control.choices, given) ? given : ''
  if (typeof given !== 'string') return ''
  return control.format === 'date-time' ? localTime(given) : given
}

/** A time as `<input type="datetime-local">` takes it; nothing where it cannot be read. */
function localTime(iso: string): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function has(choices: readonly Choice[], value: string): boolean {
  return choices.some((choice) => choice.value === value)
}
