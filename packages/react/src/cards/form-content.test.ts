import { fieldsOf } from '@holdpoint/core/form-fields'
import { describe, expect, it } from 'vitest'
import { contentOf } from './form-content.ts'
import { type FieldValue, initialValues } from './form-values.ts'

function fill(properties: Record<string, unknown>, values: Record<string, FieldValue>, required: string[] = []) {
  const schema = { type: 'object', properties, required }
  const { content, errors } = contentOf(
    fieldsOf(schema),
    new Map([...initialValues(schema), ...Object.entries(values)]),
  )
  return { content, errors: Object.fromEntries(errors) }
}

describe('forms', () => {
  it('sends what was typed, as the types of the schema', () => {
    const properties = {
      name: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      sure: { type: 'boolean' },
      place: { type: 'string', oneOf: [{ const: 'eu', title: 'Europe' }] },
      tags: { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }] } },
    }
    const values = { name: 'Ann', count: '3', ratio: '0.5', sure: true, place: 'eu', tags: ['b'] }
    expect(fill(properties, values)).toEqual({
      content: { name: 'Ann', count: 3, ratio: 0.5, sure: true, place: 'eu', tags: ['b'] },
      errors: {},
    })
  })

  it('starts from defaults, and leaves out what stays empty', () => {
    const properties = {
      count: { type: 'integer', default: 5 },
      sure: { type: 'boolean', default: true },
      place: { type: 'string', enum: ['eu', 'us'], default: 'us' },
      gone: { type: 'string', enum: ['eu'], default: 'mars' },
      note: { type: 'string' },
    }
    expect(fill(properties, {})).toEqual({ content: { count: 5, sure: true, place: 'us' }, errors: {} })
  })

  it.each([
    ['an empty field that is needed', { a: { type: 'string' } }, '  ', 'Fill this in'],
    ['no number', { a: { type: 'number' } }, 'x', 'Must be a number'],
    ['a fraction', { a: { type: 'integer' } }, '1.5', 'Must be a whole number'],
    ['too small a number', { a: { type: 'number', minimum: 2 } }, '1', 'Must be at least 2'],
    ['too large a number', { a: { type: 'number', maximum: 2 } }, '3', 'Must be at most 2'],
    ['too short a text', { a: { type: 'string', minLength: 3 } }, 'ab', 'Must have at least 3 characters'],
    ['too long a text', { a: { type: 'string', maxLength: 1 } }, 'ab', 'Must have at most 1 characters'],
    ['no email address', { a: { type: 'string', format: 'email' } }, 'ab', 'Must be an email address'],
    ['no address', { a: { type: 'string', format: 'uri' } }, 'ab', 'Must be a full address, like https://example.com'],
    ['no date', { a: { type: 'string', format: 'date' } }, 'soon', 'Must be a date'],
    ['no time', { a: { type: 'string', format: 'date-time' } }, 'soon', 'Must be a date and time'],
    ['nothing chosen', { a: { type: 'array', items: { enum: ['a'] } } }, [], 'Choose at least one'],
    [
      'too much chosen',
      { a: { type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 } },
      ['a', 'b'],
      'Must have at most 1 chosen',
    ],
  ])('refuses %s', (_, properties, value, error) => {
    expect(fill(properties, { a: value }, ['a'])).toEqual({ content: {}, errors: { a: error } })
  })

  it('sends a local time with its zone', () => {
    const { content } = fill({ at: { type: 'string', format: 'date-time' } }, { at: '2026-01-15T10:00' })
    expect(content).toEqual({ at: new Date('2026-01-15T10:00').toISOString() })
  })

  it.each(['2026-06-01T12:00:59Z', '2026-06-01T12:00:00.001+05:30', '2026-10-25T02:30'])(
    'T26: sends a time that nobody changed as it was shown: %s',
    (filledIn) => {
      const properties = { at: { type: 'string', format: 'date-time', default: filledIn } }
      expect(fill(properties, {}).content).toEqual({ at: filledIn })
      const changed = fill(properties, { at: '2026-01-15T10:00' }).content
      expect(changed).toEqual({ at: new Date('2026-01-15T10:00').toISOString() })
    },
  )

  it('treats a field named __proto__ like any other', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"}}') as Record<string, unknown>
    const schema = { type: 'object', properties }
    const { content } = contentOf(fieldsOf(schema), new Map([['__proto__', 'x']]))
    expect(Object.entries(content)).toEqual([['__proto__', 'x']])
  })

  it('makes do with a schema that is none', () => {
    expect(fieldsOf(undefined)).toEqual([])
    expect(fieldsOf({ properties: { a: 'nonsense' }, required: 'a' })).toEqual([
      { name: 'a', title: 'a', required: false, control: { type: 'text' } },
    ])
  })

  it('tries no pattern: one from a foreign server can take for ever', () => {
    const slow = { a: { type: 'string', pattern: '^(a+)+$' } }
    expect(fill(slow, { a: `${'a'.repeat(50)}!` })).toEqual({ content: { a: `${'a'.repeat(50)}!` }, errors: {} })
  })
})
