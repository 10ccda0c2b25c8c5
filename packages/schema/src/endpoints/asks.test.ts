import { expect, it } from 'vitest'
import { z } from 'zod'
import { AskRequest } from '../ask.ts'
import { RaiseAsk } from './asks.ts'

interface JsonSchema {
  readonly type?: string
  readonly maxLength?: number
  readonly pattern?: string
  readonly enum?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** Texts of any length. What a key may hold that no schema names is for the broker to limit: a tool's input. */
function unlimitedTexts(schema: JsonSchema, path = ''): string[] {
  const limit = schema.maxLength ?? schema.pattern ?? schema.enum
  const own = schema.type === 'string' && limit === undefined ? [path] : []
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    unlimitedTexts(field, `${path}/${name}`),
  )
  return [...own, ...fields, ...(schema.items ? unlimitedTexts(schema.items, `${path}/*`) : [])]
}

const textsOf = (schema: z.ZodType) => unlimitedTexts(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)

it('F58 limits every text of an ask that a program raises', () => {
  expect(textsOf(AskRequest)).toContain('/questions/*/options/*/preview')
  expect(textsOf(RaiseAsk)).toEqual([])
})
