import type { Form } from '@holdpoint/schema/ask'
import { z } from 'zod'

export const FormField = z.object({
  name: z.string().min(1).max(128).describe('Name of the field in the answer'),
  title: z.string().max(256).optional().describe('What people read; the name if left out'),
  description: z.string().max(2000).optional(),
  type: z
    .enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices'])
    .default('text')
    .describe('choice: one of the choices; choices: any number of them'),
  choices: z.array(z.string().min(1)).max(100).optional().describe('For choice and choices'),
  required: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
})
type FormField = z.infer<typeof FormField>

/** A flat form, in the JSON schema of MCP's elicitation. */
export function formOf(message: string, fields: readonly FormField[], server: string): Form {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const properties = Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)]))
  return { mode: 'form', server, message, schema: { type: 'object', properties, required } }
}

function propertyOf({ title, description, type, choices = [], default: initial }: FormField) {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { default: initial }),
    ...typeOf(type, choices),
  }
}

function typeOf(type: FormField['type'], choices: readonly string[]) {
  switch (type) {
    case 'text':
      return { type: 'string' }
    case 'choice':
      return { type: 'string', enum: choices }
    case 'choices':
      return { type: 'array', items: { type: 'string', enum: choices } }
    case 'number':
    case 'integer':
    case 'boolean':
      return { type }
    default:
      return type satisfies never
  }
}

/** What is wrong with the fields, if something is. */
export function fieldProblem(fields: readonly FormField[]): string | undefined {
  const names = fields.map(({ name }) => name)
  if (new Set(names).size < names.length) return 'Two fields have the same name.'
  if (names.includes('__proto__')) return 'A field cannot be named __proto__.'
  const empty = fields.find(({ type, choices = [] }) => type.startsWith('choice') && choices.length === 0)
  return empty && `The field ${empty.name} needs choices.`
}
