import { textField } from './thread-rows.ts'

/** Fields that say the most about a call, whatever the tool. */
const TELLING = ['command', 'file_path', 'notebook_path', 'path', 'url', 'pattern', 'query', 'description', 'prompt']
const LIMIT = 300

/** A call's input in one line, for a line that can be opened to see all of it. */
export function inputSummary(input: unknown, folder: string): string {
  for (const name of TELLING) {
    const text = textField(input, name)
    if (text !== undefined) return oneLine(name.endsWith('path') ? seenFrom(folder, text) : text)
  }
  return oneLine(firstText(input) ?? '')
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ ')
  return line.length > LIMIT ? `${line.slice(0, LIMIT)}…` : line
}

/** The first text anywhere in it. */
function firstText(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (typeof value !== 'object' || value === null) return undefined
  for (const part of Object.values(value)) {
    const text = firstText(part)
    if (text !== undefined) return text
  }
  return undefined
}

function seenFrom(folder: string, path: string): string {
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
