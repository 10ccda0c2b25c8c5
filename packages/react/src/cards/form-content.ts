import { fieldProblem } from '@holdpoint/core/form-content'
import type { Control, Field } from '@holdpoint/core/form-fields'
import { type FieldValue, initialValue } from './form-values.ts'

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

function readField(field: Field, typed: FieldValue): Read {
  const { control, required } = field
  if (control.type === 'boolean') return { value: typed === true }
  if (isEmpty(typed)) {
    if (!required) return { value: undefined }
    return { error: control.type === 'choices' ? 'Choose at least one' : 'Fill this in' }
  }
  const value = readValue(field, typed)
  const problem = fieldProblem(control, value) ?? (control.type === 'text' ? formatProblem(control, value) : undefined)
  return problem === undefined ? { value } : { error: problem.charAt(0).toUpperCase() + problem.slice(1) }
}

function isEmpty(typed: FieldValue): boolean {
  return typeof typed === 'string' ? typed.trim() === '' : typeof typed !== 'boolean' && typed.length === 0
}

function readValue({ control, initial }: Field, typed: FieldValue): unknown {
  if (control.type === 'number') return Number(typed)
  if (control.type !== 'text' || control.format !== 'date-time') return typed
  // The control has neither seconds nor a zone: what nobody has changed is sent as it is shown below it.
  if (typed === initialValue(control, initial)) return initial
  const time = new Date(String(typed))
  return Number.isNaN(time.getTime()) ? typed : time.toISOString()
}

/**
 * What a browser alone checks: the agent's server has the last word on these. A pattern is only shown: one that takes for
 * ever would stop the page.
 */
function formatProblem({ format }: Extract<Control, { type: 'text' }>, value: unknown): string | undefined {
  const text = String(value)
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'must be an email address'
  if (format === 'uri' && !URL.canParse(text)) return 'must be a full address, like https://example.com'
  if (format === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(text)) return 'must be a date'
  if (format === 'date-time' && Number.isNaN(new Date(text).getTime())) return 'must be a date and time'
  return undefined
}
