/** One field of a form, read from its JSON schema. */
export interface Field {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly required: boolean
  readonly control: Control
  /** What it starts with, of whatever type. */
  readonly initial?: unknown
}

export type Control =
  | {
      readonly type: 'text'
      readonly format?: 'email' | 'uri' | 'date' | 'date-time'
      readonly minLength?: number
      readonly maxLength?: number
      readonly pattern?: string
    }
  | { readonly type: 'number'; readonly integer: boolean; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' }
  | { readonly type: 'choice'; readonly choices: readonly Choice[] }
  | {
      readonly type: 'choices'
      readonly choices: readonly Choice[]
      readonly minItems?: number
      readonly maxItems?: number
    }

export interface Choice {
  readonly value: string
  readonly title: string
}

export type FormSchema = Readonly<Record<string, unknown>>

/** What a schema leaves out, or says in a way that forms do not know, is text. */
export function fieldsOf(schema: FormSchema | undefined): readonly Field[] {
  const required = Array.isArray(schema?.required) ? schema.required : []
  return Object.entries(record(schema?.properties)).map(([name, given]) => {
    const property = record(given)
    return {
      name,
      title: string(property.title) ?? name,
      required: required.includes(name),
      control: controlOf(property),
      ...optional('description', string(property.description)),
      ...optional('initial', property.default),
    }
  })
}

function controlOf(property: FormSchema): Control {
  switch (property.type) {
    case 'boolean':
      return { type: 'boolean' }
    case 'number':
    case 'integer':
      return {
        type: 'number',
        integer: property.type === 'integer',
        ...optional('minimum', number(property.minimum)),
        ...optional('maximum', number(property.maximum)),
      }
    case 'array':
      return {
        type: 'choices',
        choices: choicesOf(record(property.items)) ?? [],
        ...optional('minItems', number(property.minItems)),
        ...optional('maxItems', number(property.maxItems)),
      }
    default: {
      const choices = choicesOf(property)
      if (choices) return { type: 'choice', choices }
      const format = FORMATS.find((known) => known === property.format)
      return {
        type: 'text',
        ...optional('format', format),
        ...optional('minLength', number(property.minLength)),
        ...optional('maxLength', number(property.maxLength)),
        ...optional('pattern', string(property.pattern)),
      }
    }
  }
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const

/** MCP writes choices as `enum` (titles in `enumNames`), or as `oneOf` or `anyOf` of constants with titles. */
function choicesOf(property: FormSchema): readonly Choice[] | undefined {
  if (Array.isArray(property.enum)) {
    const names: readonly unknown[] = Array.isArray(property.enumNames) ? property.enumNames : []
    return property.enum.map((value, index) => ({ value: String(value), title: string(names[index]) ?? String(value) }))
  }
  const titled = property.oneOf ?? property.anyOf
  if (!Array.isArray(titled)) return undefined
  return titled.map((entry) => {
    const value = String(record(entry).const)
    return { value, title: string(record(entry).title) ?? value }
  })
}

function record(value: unknown): FormSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FormSchema) : {}
}

function string(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value })
}
