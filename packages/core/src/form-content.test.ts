import type { Form } from '@holdpoint/schema/ask'
import { describe, expect, it } from 'vitest'
import { checkFormContent } from './form-content.ts'

function check(properties: Record<string, unknown>, content: Record<string, unknown>, required: string[] = []) {
  const form: Form = { mode: 'form', server: 's', message: 'm', schema: { type: 'object', properties, required } }
  return checkFormContent(form, content)
}

describe('the content of a form', () => {
  it('fits when each value is what its field takes', () => {
    const properties = {
      name: { type: 'string', maxLength: 3 },
      count: { type: 'integer', minimum: 1 },
      sure: { type: 'boolean' },
      place: { type: 'string', enum: ['eu', 'us'] },
      tags: { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b' }] } },
      words: { type: 'array', items: { type: 'string' } },
    }
    const content = { name: 'Ann', count: 2, sure: false, place: 'eu', tags: ['b'], words: ['x'] }
    expect(check(properties, content, ['name', 'sure'])).toEqual([])
  })

  it.each([
    ['text for a number', { type: 'number' }, '3', 'a must be a number'],
    ['a fraction', { type: 'integer' }, 1.5, 'a must be a whole number'],
    ['too small a number', { type: 'number', minimum: 2 }, 1, 'a must be at least 2'],
    ['a number for text', { type: 'string' }, 3, 'a must be text'],
    ['too long a text', { type: 'string', maxLength: 1 }, 'ab', 'a must have at most 1 characters'],
    ['text for a tick', { type: 'boolean' }, 'true', 'a must be true or false'],
    ['no option', { type: 'string', enum: ['x'] }, 'y', 'a must be one of its options'],
    [
      'an entry that is no option',
      { type: 'array', items: { enum: ['x'] } },
      ['x', 'y'],
      'a has an entry that is not one of its options',
    ],
    [
      'too many entries',
      { type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 },
      ['x', 'y'],
      'a must have at most 1 chosen',
    ],
  ])('does not fit: %s', (_, property, value, issue) => {
    expect(check({ a: property }, { a: value })).toEqual([issue])
  })

  it('must have what is required and nothing that is no field', () => {
    expect(check({ a: { type: 'string' } }, { b: 1 }, ['a'])).toEqual([
      'a is required',
      'b is not a field of this form',
    ])
    expect(check({}, {}, ['__proto__'])).toEqual(['__proto__ is required'])
  })

  it('is nothing where the form is a link', () => {
    expect(checkFormContent({ mode: 'url', server: 's', message: 'm' }, { a: 1 })).toEqual(['a link takes no content'])
  })
})
