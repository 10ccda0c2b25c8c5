/** One field of a form, read from its JSON schema. */
export interface Field {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly required: boolean
  readonly control: Control
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

/** What a person has put in so far: text as typed, a tick, or the ticked choices. */
export type FieldValue = string | boolean | readonly string[]

type Schema = Readonly<Record<string, unknown>>

export function fieldsOf(schema: Schema | undefined): readonly Field[] {
  const required = Array.isArray(schema?.required) ? schema.required : []
  return Object.entries(record(schema?.properties)).map(([name, given]) => {
    const property = record(given)
    return {
      name,
      title: string(property.title) ?? name,
      required: required.includes(name),
      control: controlOf(property),
      ...optional('description', string(property.description)),
    }
  })
}

function controlOf(property: Schema): Control {
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
function choicesOf(property: Schema): readonly Choice[] | undefined {
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

/** What the form starts with: the schema's defaults, as they would have been typed. */
export function initialValues(schema: Schema | undefined): ReadonlyMap<string, FieldValue> {
  const properties = new Map(Object.entries(record(schema?.properties)))
  return new Map(
    fieldsOf(schema).map(({ name, control }) => [name, initialValue(control, record(properties.get(name)).default)]),
  )
}

function initialValue(control: Control, given: unknown): FieldValue {
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

function record(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
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
