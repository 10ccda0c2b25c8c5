import type { Control, Field, FieldValue } from './form-fields.ts'

export interface FormContent {
  readonly content: Readonly<Record<string, unknown>>
  /** What is wrong, by the field's name; empty when the form can be sent. */
  readonly errors: ReadonlyMap<string, string>
}

/** What would be sent, and what is wrong with it. An optional field that is left empty is not sent. */
export function contentOf(fields: readonly Field[], values: ReadonlyMap<string, FieldValue>): FormContent {
  const content: [string, unknown][] = []
  const errors = new Map<string, string>()
  for (const field of fields) {
    const read = readField(field, values.get(field.name) ?? '')
    if ('error' in read) errors.set(field.name, read.error)
    else if (read.value !== undefined) content.push([field.name, read.value])
  }
  return { content: Object.fromEntries(content), errors }
}

type Read = { readonly value: unknown } | { readonly error: string }

function readField({ control, required }: Field, value: FieldValue): Read {
  if (control.type === 'boolean') return { value: value === true }
  if (control.type === 'choices') return readChoices(control, Array.isArray(value) ? value : [], required)
  const text = String(value)
  if (text.trim() === '') return required ? { error: 'Fill this in' } : { value: undefined }
  if (control.type === 'number') return readNumber(control, text)
  if (control.type === 'choice') return { value: text }
  return readText(control, text)
}

function readChoices(
  control: Extract<Control, { type: 'choices' }>,
  chosen: readonly string[],
  required: boolean,
): Read {
  const least = Math.max(control.minItems ?? 0, required ? 1 : 0)
  if (chosen.length === 0 && !required) return { value: undefined }
  if (chosen.length < least) return { error: least === 1 ? 'Choose at least one' : `Choose at least ${least}` }
  if (control.maxItems !== undefined && chosen.length > control.maxItems) {
    return { error: `Choose at most ${control.maxItems}` }
  }
  return { value: chosen }
}

function readNumber(control: Extract<Control, { type: 'number' }>, text: string): Read {
  const value = Number(text)
  if (!Number.isFinite(value)) return { error: 'Must be a number' }
  if (control.integer && !Number.isInteger(value)) return { error: 'Must be a whole number' }
  if (control.minimum !== undefined && value < control.minimum) return { error: `At least ${control.minimum}` }
  if (control.maximum !== undefined && value > control.maximum) return { error: `At most ${control.maximum}` }
  return { value }
}

function readText(control: Extract<Control, { type: 'text' }>, text: string): Read {
  const { minLength, maxLength, pattern, format } = control
  if (minLength !== undefined && text.length < minLength) return { error: `At least ${minLength} characters` }
  if (maxLength !== undefined && text.length > maxLength) return { error: `At most ${maxLength} characters` }
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return { error: 'Must be an email address' }
  if (format === 'uri' && !URL.canParse(text)) return { error: 'Must be a whole address, like https://example.com' }
  if (format === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(text)) return { error: 'Must be a date' }
  if (format === 'date-time') return readTime(text)
  if (pattern !== undefined && !matches(pattern, text)) return { error: `Must match ${pattern}` }
  return { value: text }
}

function readTime(text: string): Read {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? { error: 'Must be a date and time' } : { value: time.toISOString() }
}

/** A pattern from a foreign server: one that is no regular expression forbids nothing, and long text is not tried. */
function matches(pattern: string, text: string): boolean {
  if (pattern.length > 200 || text.length > 1000) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
