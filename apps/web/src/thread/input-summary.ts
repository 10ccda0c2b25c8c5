import { firstText, type ToolCallItem, textField } from './input-text.ts'

const LIMIT = 300

/** A call's input for a line that can be opened to see all of it. */
export function inputSummary({ input, display }: Pick<ToolCallItem, 'input' | 'display'>, folder: string): string {
  const field = display?.subject
  const text = field === undefined ? undefined : textField(input, field)
  if (field === undefined || text === undefined) return short(firstText(input) ?? '')
  return short(field.endsWith('path') ? seenFrom(folder, text) : text)
}

function short(text: string): string {
  const lines = text.trim().replaceAll(/\s*\n\s*/g, '\n')
  return lines.length > LIMIT ? `${lines.slice(0, LIMIT)}...` : lines
}

function seenFrom(folder: string, path: string): string {
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
