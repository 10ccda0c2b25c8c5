import { isAbsolute, resolve } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { readTextFile } from './read-text-file.ts'

export type FileDiff = { diff: string } | { diffOmitted: string } | undefined

const SIZE_LIMIT = 1024 * 1024
const TIME_LIMIT_MS = 300

/** What a call would change, against the file as it is on disk now. Undefined for tools that change no file. */
export async function diffOf(tool: string, input: Record<string, unknown>, cwd: string | undefined): Promise<FileDiff> {
  const path = input.file_path
  if (typeof path !== 'string') return undefined
  if (tool === 'Write' && typeof input.content === 'string') {
    const { content } = input
    return diffAgainstDisk(path, cwd, () => content)
  }
  if (tool === 'Edit' && typeof input.old_string === 'string' && typeof input.new_string === 'string') {
    const { old_string: from, new_string: to, replace_all: everywhere } = input
    return diffAgainstDisk(path, cwd, (text) => edited(text, from, to, everywhere === true))
  }
  return undefined
}

function edited(text: string, from: string, to: string, everywhere: boolean): string | undefined {
  if (from === '') return text === '' ? to : undefined
  if (!text.includes(from)) return undefined
  // Split and join: a `$` in the new text has no meaning here.
  if (everywhere) return text.split(from).join(to)
  const at = text.indexOf(from)
  return text.slice(0, at) + to + text.slice(at + from.length)
}

async function diffAgainstDisk(
  path: string,
  cwd: string | undefined,
  change: (text: string) => string | undefined,
): Promise<FileDiff> {
  if (!isAbsolute(path) && cwd === undefined)
    return { diffOmitted: 'the folder that the path starts from is not known' }
  const file = await readTextFile(resolve(cwd ?? '/', path))
  if ('why' in file) return { diffOmitted: file.why }
  const after = change(file.text)
  if (after === undefined) return { diffOmitted: 'the text to replace is not in the file' }
  if (after.length > SIZE_LIMIT) return { diffOmitted: 'the new content is too large to compare' }
  const diff = createTwoFilesPatch(file.exists ? path : '/dev/null', path, file.text, after, undefined, undefined, {
    context: 3,
    timeout: TIME_LIMIT_MS,
  })
  if (diff === undefined) return { diffOmitted: 'the change is too large to compare' }
  // The library puts a line above the two names that says nothing.
  return { diff: diff.replace(/^(?:Index: .*\n)?=+\n/, '') }
}
