import { shownField } from '@holdpoint/core/shown-field'
import type { Ask } from '@holdpoint/schema/ask'

export type Edited =
  | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issue: string }

/** A tool's input as the person rewrote it in JSON. It keeps its shape, as the gateway demands. */
export function editedInput(original: Readonly<Record<string, unknown>>, text: string): Edited {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (fault) {
    return { ok: false, issue: `This is not valid JSON: ${fault instanceof Error ? fault.message : fault}` }
  }
  if (shape(value) !== 'object') return { ok: false, issue: 'The input must stay an object: { … }' }
  const input = value as Record<string, unknown>
  for (const [name, before] of Object.entries(original)) {
    if (!Object.hasOwn(input, name)) return { ok: false, issue: `${name} is missing` }
    if (shape(input[name]) !== shape(before)) return { ok: false, issue: `${name} must stay ${WORDS[shape(before)]}` }
  }
  return { ok: true, input }
}

const WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
}

function shape(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/**
 * The one text to edit where the input has a command: its field's name. By name alone: another field may have the same
 * text, and then the command would run as it was (I6).
 */
export function commandField({
  tool,
  context,
  display,
}: Pick<Ask, 'tool' | 'context' | 'display'>): string | undefined {
  const name = shownField(display, 'command')
  if (name === undefined || context.command === undefined) return undefined
  return tool?.input[name] === context.command ? name : undefined
}
