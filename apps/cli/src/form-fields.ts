import type { Form } from '@holdpoint/schema/ask'
import { CliError, EXIT } from './cli-error.ts'
import { terminalText } from './terminal-text.ts'

export interface FormField {
  readonly name: string
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  readonly required: boolean
  readonly title?: string
  readonly description?: string
  readonly choices?: readonly string[]
}

const TYPES = ['number', 'integer', 'boolean', 'array'] as const

/** A form's fields, read from the JSON schema that the server sent; what it leaves out is text. */
export function formFields({ schema }: Form): FormField[] {
  const required = Array.isArray(schema?.required) ? schema.required : []
  return Object.entries(record(schema?.properties)).map(([name, value]) => {
    const property = record(value)
    const choices = choicesOf(property.type === 'array' ? record(property.items) : property)
    return {
      name,
      type: TYPES.find((type) => type === property.type) ?? 'string',
      required: required.includes(name),
      ...(typeof property.title === 'string' && { title: property.title }),
      ...(typeof property.description === 'string' && { description: property.description }),
      ...(choices && { choices }),
    }
  })
}

/** `name=value` texts as the content of the form. A field that is a list takes its name several times. */
export function formContent(form: Form, given: readonly string[]): Record<string, unknown> {
  const fields = formFields(form)
  const content = new Map<string, unknown>()
  for (const text of given) {
    const [, typed = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const field = fields.find(({ name }) => name === typed || terminalText(name) === typed)
    if (!field) {
      const known = fields.map(({ name }) => terminalText(name)).join(', ') || 'none'
      throw new CliError(`--field ${terminalText(text)}: give name=value. The fields are: ${known}.`, EXIT.usage)
    }
    const before = content.get(field.name)
    if (field.type === 'array') content.set(field.name, [...((before as string[] | undefined) ?? []), value])
    else if (before !== undefined) throw new CliError(`--field ${terminalText(typed)} was given twice.`, EXIT.usage)
    else content.set(field.name, typedValue(field, value))
  }
  return Object.fromEntries(content)
}

function typedValue({ name, type }: FormField, value: string): unknown {
  if (type === 'boolean') {
    if (value !== 'true' && value !== 'false')
      throw new CliError(`--field ${terminalText(name)} takes true or false.`, EXIT.usage)
    return value === 'true'
  }
  if (type === 'number' || type === 'integer') {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number))
      throw new CliError(`--field ${terminalText(name)} takes a number.`, EXIT.usage)
    return number
  }
  return value
}

/** MCP writes choices as `enum`, or as `oneOf`/`anyOf` of constants with titles. */
function choicesOf(property: Record<string, unknown>): string[] | undefined {
  if (Array.isArray(property.enum)) return property.enum.map(String)
  const titled = property.oneOf ?? property.anyOf
  return Array.isArray(titled) ? titled.map((entry) => String(record(entry).const)) : undefined
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
