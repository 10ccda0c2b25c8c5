import { firstText, type ToolCallItem, textField } from './input-text.ts'

const LIMIT = 300

/** A call's input in one line, for a line that can be opened to see all of it. */
export function inputSummary({ input, display }: Pick<ToolCallItem, 'input' | 'display'>, folder: string): string {
  const field = display?.subject
  const text = field === undefined ? undefined : textField(input, field)
  if (field === undefined || text === undefined) return oneLine(firstText(input) ?? '')
  return oneLine(field.endsWith('path') ? seenFrom(folder, text) : text)
}

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ⏎ ')
  return line.length > LIMIT ? `${line.slice(0, LIMIT)}...` : line
}

function seenFrom(folder: string, path: string): string {
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
