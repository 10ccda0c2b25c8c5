import { shownField } from '@holdpoint/core/shown-field'
import type { Ask } from '@holdpoint/schema/ask'

export type Input = Readonly<Record<string, unknown>>

export type Edited = { readonly ok: true; readonly input: Input } | { readonly ok: false; readonly issue: string }

/** A tool's input as the person rewrote it in JSON. It keeps its shape, as the gateway demands. */
export function editedInput(original: Input, text: string): Edited {
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

/** An input as its editor and its diff show it. */
export function jsonOf(input: Input): string {
  return JSON.stringify(input, null, 2)
}

/** Whether two inputs are the same, but for these fields. */
export function sameBut(fields: readonly string[], one: Input, other: Input): boolean {
  const rest = (input: Input) => JSON.stringify(Object.entries(input).filter(([name]) => !fields.includes(name)))
  return rest(one) === rest(other)
}

/** From here on a text is worth an editor of its own. */
const LONG_TEXT = 80

type Call = Pick<Ask, 'tool' | 'context' | 'display'>

/**
 * The one text to edit where the input has a command: its field's name. By name alone: another field may have the same
 * text, and then the command would run as it was (I6).
 */
export function commandField({ tool, context, display }: Call): string | undefined {
  const name = shownField(display, 'command')
  if (name === undefined || context.command === undefined) return undefined
  return tool?.input[name] === context.command ? name : undefined
}

/** The fields that are edited as texts: the command where there is one, else those that the diff shows, and long ones. */
export function textFields(call: Call): readonly string[] {
  const command = commandField(call)
  if (command !== undefined) return [command]
  return Object.entries(call.tool?.input ?? {}).flatMap(([name, value]) => {
    const part = call.display?.shownIn?.[name]
    if (typeof value !== 'string' || part === 'path') return []
    return part === 'diff' || value.length > LONG_TEXT || value.includes('\n') ? [name] : []
  })
}

/** What the one text is, in words, where its name would say less. */
export function textWords(call: Call): string | undefined {
  if (commandField(call) !== undefined) return 'the command'
  const parts = Object.keys(call.tool?.input ?? {}).map((name) => call.display?.shownIn?.[name])
  // With anything else, such as a cell of a notebook, it may be a part of the file.
  return parts.length === 2 && parts.includes('path') && parts.includes('diff') ? 'the file' : undefined
}
