import type { Form } from '@holdpoint/schema/ask'

/** What is wrong with a form's content, one sentence each; empty when it fits. */
export function checkFormContent(form: Form, content: Record<string, unknown>): string[] {
  if (form.mode === 'url') return Object.keys(content).length === 0 ? [] : ['a link takes no content']
  const properties = asRecord(form.schema?.properties)
  const required = Array.isArray(form.schema?.required) ? form.schema.required.map(String) : []
  const issues: string[] = []
  for (const name of required) if (content[name] === undefined) issues.push(`${name} is required`)
  for (const [name, value] of Object.entries(content)) {
    const property = Object.hasOwn(properties, name) ? asRecord(properties[name]) : undefined
    if (!property) issues.push(`${name} is not a field of this form`)
    else issues.push(...checkField(name, property, value))
  }
  return issues
}

function checkField(name: string, property: Record<string, unknown>, value: unknown): string[] {
  switch (property.type) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`${name} must be true or false`]
    case 'number':
    case 'integer':
      return checkNumber(name, property, value)
    case 'array': {
      const choices = choicesOf(asRecord(property.items))
      if (!Array.isArray(value)) return [`${name} must be a list`]
      return value.every((entry) => typeof entry === 'string' && (choices?.includes(entry) ?? true))
        ? []
        : [`${name} has an entry that is not one of its options`]
    }
    default:
      return checkString(name, property, value)
  }
}

function checkNumber(name: string, property: Record<string, unknown>, value: unknown): string[] {
  if (typeof value !== 'number' || !Number.isFinite(value)) return [`${name} must be a number`]
  if (property.type === 'integer' && !Number.isInteger(value)) return [`${name} must be a whole number`]
  if (typeof property.minimum === 'number' && value < property.minimum) return [`${name} is below ${property.minimum}`]
  if (typeof property.maximum === 'number' && value > property.maximum) return [`${name} is above ${property.maximum}`]
  return []
}

function checkString(name: string, property: Record<string, unknown>, value: unknown): string[] {
  if (typeof value !== 'string') return [`${name} must be text`]
  const choices = choicesOf(property)
  if (choices && !choices.includes(value)) return [`${name} must be one of its options`]
  if (typeof property.minLength === 'number' && value.length < property.minLength) return [`${name} is too short`]
  if (typeof property.maxLength === 'number' && value.length > property.maxLength) return [`${name} is too long`]
  return []
}

/** MCP writes choices as `enum`, or as `oneOf`/`anyOf` of constants with titles. */
function choicesOf(property: Record<string, unknown>): string[] | undefined {
  if (Array.isArray(property.enum)) return property.enum.map(String)
  const titled = property.oneOf ?? property.anyOf
  return Array.isArray(titled) ? titled.map((entry) => String(asRecord(entry).const)) : undefined
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
