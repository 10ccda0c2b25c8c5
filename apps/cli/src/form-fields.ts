import { type Control, type Field, fieldsOf } from '@holdpoint/core/form-fields'
import type { Form } from '@holdpoint/schema/ask'
import { CliError, EXIT } from './console/cli-error.ts'
import { terminalText } from './console/terminal-text.ts'

/** What a field takes, in a word. */
export function typeWord(control: Control): string {
  if (control.type === 'number') return control.integer ? 'whole number' : 'number'
  return { text: 'text', boolean: 'true or false', choice: 'text', choices: 'list' }[control.type]
}

/** `name=value` texts as the content of the form. A field that is a list takes its name several times. */
export function formContent(form: Form, given: readonly string[]): Record<string, unknown> {
  const fields = fieldsOf(form.schema)
  const content = new Map<string, unknown>()
  for (const text of given) {
    const [, typed = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    const field = fields.find(({ name }) => name === typed || terminalText(name) === typed)
    if (!field) {
      const known = fields.map(({ name }) => terminalText(name)).join(', ') || 'none'
      throw new CliError(`--field ${terminalText(text)}: give name=value. The fields are: ${known}.`, EXIT.usage)
    }
    const before = content.get(field.name)
    if (field.control.type === 'choices') content.set(field.name, [...((before as string[] | undefined) ?? []), value])
    else if (before !== undefined) throw new CliError(`--field ${terminalText(typed)} was given twice.`, EXIT.usage)
    else content.set(field.name, typedValue(field, value))
  }
  return Object.fromEntries(content)
}

function typedValue({ name, control }: Field, value: string): unknown {
  if (control.type === 'boolean') {
    if (value !== 'true' && value !== 'false')
      throw new CliError(`--field ${terminalText(name)} takes true or false.`, EXIT.usage)
    return value === 'true'
  }
  if (control.type === 'number') {
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number))
      throw new CliError(`--field ${terminalText(name)} takes a number.`, EXIT.usage)
    return number
  }
  return value
}
