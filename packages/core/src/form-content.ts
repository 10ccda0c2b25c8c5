import type { Form } from '@holdpoint/schema/ask'
import { type Choice, type Control, fieldsOf } from './form-fields.ts'

/** What is wrong with a form's content, one sentence each; empty when it fits. */
export function checkFormContent(form: Form, content: Record<string, unknown>): string[] {
  if (form.mode === 'url') return Object.keys(content).length === 0 ? [] : ['a link takes no content']
  const fields = new Map(fieldsOf(form.schema).map((field) => [field.name, field]))
  const required = Array.isArray(form.schema?.required) ? form.schema.required.map(String) : []
  const missing = required.filter((name) => !Object.hasOwn(content, name) || content[name] === undefined)
  const wrong = Object.entries(content).flatMap(([name, value]) => {
    const field = fields.get(name)
    const problem = field ? fieldProblem(field.control, value) : 'is not a field of this form'
    return problem === undefined ? [] : [`${name} ${problem}`]
  })
  return [...missing.map((name) => `${name} is required`), ...wrong]
}

/**
 * What is wrong with the value of a field, as the rest of a sentence about it. Patterns are not tried: they come from a
 * foreign server, and one that takes for ever would hold everybody up.
 */
export function fieldProblem(control: Control, value: unknown): string | undefined {
  switch (control.type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'number':
      return numberProblem(control, value)
    case 'choice':
      return isAmong(control.choices, value) ? undefined : 'must be one of its options'
    case 'choices':
      return choicesProblem(control, value)
    case 'text':
      return textProblem(control, value)
    default:
      return control satisfies never
  }
}

function numberProblem(
  { integer, minimum, maximum }: Extract<Control, { type: 'number' }>,
  value: unknown,
): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
  if (integer && !Number.isInteger(value)) return 'must be a whole number'
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  return undefined
}

function choicesProblem(
  { choices, minItems, maxItems }: Extract<Control, { type: 'choices' }>,
  value: unknown,
): string | undefined {
  if (!Array.isArray(value)) return 'must be a list'
  const fits = (entry: unknown) => (choices.length === 0 ? typeof entry === 'string' : isAmong(choices, entry))
  if (!value.every(fits)) return 'has an entry that is not one of its options'
  if (minItems !== undefined && value.length < minItems) return `must have at least ${minItems} chosen`
  if (maxItems !== undefined && value.length > maxItems) return `must have at most ${maxItems} chosen`
  return undefined
}

function textProblem({ minLength, maxLength }: Extract<Control, { type: 'text' }>, value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  if (minLength !== undefined && value.length < minLength) return `must have at least ${minLength} characters`
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`
  return undefined
}

function isAmong(choices: readonly Choice[], value: unknown): boolean {
  return choices.some((choice) => choice.value === value)
}
