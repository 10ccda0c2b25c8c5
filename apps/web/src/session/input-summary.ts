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

/** The first text anywhere in it. Without recursion: an input may be nested ten thousand deep. */
function firstText(root: unknown): string | undefined {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && value.trim() !== '') return value
    if (typeof value !== 'object' || value === null) continue
    // The first part is looked into first.
    for (const part of Object.values(value).reverse()) open.push(part)
  }
  return undefined
}

function seenFrom(folder: string, path: string): string {
  const base = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(base) && path.length > base.length ? path.slice(base.length) : path
}
